#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <string>
#include <thread>

#include "core/model/partition.h"
#include "core/model/vpsvm.h"
#include "naive.h"

namespace flexkern {
namespace {

using clock = std::chrono::steady_clock;
using Rows = std::vector<index_t>;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

struct Case {
  Data x, y;
  CellOptions options;

  CellData data() const {
    return {x.view(), y.view(), std::vector<double>(at(x.rows), 1.0),
            std::vector<int>(at(x.rows), 0)};
  }
  std::vector<CellFit> fit(const std::vector<Rows>& rows, Context& context,
                           const std::vector<index_t>& margins = {}) const {
    double bytes = 0;
    context.seed = 9;
    return fit_cells(data(), rows, margins, options, *make_device("cpu", "auto"), context, bytes);
  }
};

Case wave_case(index_t n, index_t d, index_t responses) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, 0.3, 2), {}};
}

Partition partition(const Case& c, PartitionType type, index_t cells) {
  Context context;
  context.seed = 4;
  PartitionOptions options;
  options.type = type;
  options.cells = cells;
  return make_partition(c.x.view(), options, context);
}

// A fitted model with all its storage.
struct Model {
  std::vector<double> vectors, coef, intercept, centers;
  VpModel view;

  Model(const Case& c, const std::vector<Rows>& rows, const std::vector<CellFit>& fits) {
    const index_t n = c.x.rows, count = c.y.cols;
    Rows order;
    view.offset = {0};
    for (const Rows& r : rows) {
      order.insert(order.end(), r.begin(), r.end());
      view.offset.push_back(static_cast<index_t>(order.size()));
    }
    for (index_t k = 0; k < c.x.cols; ++k)
      for (const index_t i : order) vectors.push_back(c.x(i, k));
    for (index_t r = 0; r < count; ++r)
      for (const CellFit& f : fits) {
        const index_t size = static_cast<index_t>(f.fold.size());
        coef.insert(coef.end(), f.coef.begin() + r * size, f.coef.begin() + (r + 1) * size);
        intercept.push_back(f.intercept[at(r)]);
      }
    for (const CellFit& f : fits) view.gamma.push_back(f.choice.gamma);
    view.kernel = c.options.kernel;
    view.vectors = ConstMatrixRef(vectors.data(), n, c.x.cols);
    view.coef = {coef.data(), n, count};
    view.intercept = {intercept.data(), static_cast<index_t>(fits.size()), count};
  }
  void set_centers(const Case& c, const Partition& p) {
    for (index_t k = 0; k < c.x.cols; ++k)
      for (const std::int32_t i : p.centers) centers.push_back(c.x(i, k));
    view.centers = ConstMatrixRef(centers.data(), static_cast<index_t>(p.centers.size()), c.x.cols);
    view.cell_of_center = p.cell_of_center;
  }
};

MatrixXd predict(const Model& model, const Data& x, int threads) {
  Context context;
  context.threads = threads;
  MatrixXd out(x.rows, model.view.coef.cols());
  predict_cells(model.view, x.view(), *make_device("cpu", "auto"), {out.data(), x.rows, out.cols()},
                context);
  return out;
}

// The decision values of one cell at one point.
MatrixXd naive_value(const VpModel& m, std::size_t cell, const Data& x, index_t row) {
  MatrixXd out(1, m.coef.cols());
  for (index_t r = 0; r < out.cols(); ++r) {
    out(0, r) = m.intercept(static_cast<index_t>(cell), r);
    for (index_t i = m.offset[cell]; i < m.offset[cell + 1]; ++i)
      out(0, r) += m.coef(i, r) * naive_kernel(m.kernel.with_gamma(m.gamma[cell]), x.view(), row,
                                               m.vectors.dense(), i);
  }
  return out;
}

std::size_t naive_cell(const VpModel& m, const Data& x, index_t row) {
  index_t best = 0;
  double least = HUGE_VAL;
  for (index_t c = 0; c < m.centers.rows(); ++c) {
    double distance = 0;
    for (index_t k = 0; k < x.cols; ++k)
      distance += std::pow(x(row, k) - m.centers.dense()(c, k), 2);
    if (distance < least) best = c;
    least = std::min(least, distance);
  }
  return static_cast<std::size_t>(m.cell_of_center[at(best)]);
}

TEST(Vpsvm, RowsByCellKeepTheirOrder) {
  const auto rows = rows_by_cell({1, 0, 1, 2, 0});
  EXPECT_EQ(rows, (std::vector<Rows>{{1, 4}, {0, 2}, {3}}));
  EXPECT_TRUE(rows_by_cell({}).empty());
}

TEST(Vpsvm, EachCellIsFittedOnItsRowsAlone) {
  const Case c = wave_case(260, 2, 2);
  const auto rows = rows_by_cell(partition(c, PartitionType::kVoronoi, 4).cell);
  Context context;
  const auto fits = c.fit(rows, context);
  ASSERT_EQ(fits.size(), rows.size());
  for (std::size_t cell = 0; cell < rows.size(); ++cell) {
    const index_t n = static_cast<index_t>(rows[cell].size());
    Case part{Data(n, 2), Data(n, 2), c.options};
    for (index_t i = 0; i < n; ++i)
      for (index_t k = 0; k < 2; ++k) {
        part.x(i, k) = c.x(rows[cell][at(i)], k);
        part.y(i, k) = c.y(rows[cell][at(i)], k);
      }
    Context alone;
    alone.seed = 9;
    const CellFit fit =
        fit_cell(part.data(), c.options, *make_device("cpu", "auto"), cell, 1, alone);
    EXPECT_EQ(fit.coef, fits[cell].coef);
    EXPECT_EQ(fit.choice.gamma, fits[cell].choice.gamma);
  }
}

TEST(Vpsvm, ThreadsGiveTheSameBits) {
  const Case c = wave_case(slow_run() ? 250 : 700, 2, 2);
  const Data fresh = uniform_data(200, 2, 3);
  for (const index_t cells : {1, 3, 12}) {
    const Partition p = partition(c, PartitionType::kVoronoi, cells);
    const auto rows = rows_by_cell(p.cell);
    std::vector<CellFit> one;
    MatrixXd values;
    for (const int threads : {1, 2, 4}) {
      Context context;
      context.threads = threads;
      const auto fits = c.fit(rows, context);
      Model model(c, rows, fits);
      model.set_centers(c, p);
      const MatrixXd now = predict(model, fresh, threads);
      if (threads == 1) one = fits, values = now;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(fits[i].coef, one[i].coef);
        EXPECT_EQ(fits[i].surface.risk, one[i].surface.risk);
      }
      EXPECT_EQ(now, values);
    }
  }
}

TEST(Vpsvm, TheNearestCentersCellPredicts) {
  const Case c = wave_case(250, 2, 2);
  const Partition p = partition(c, PartitionType::kVoronoi, 6);
  const auto rows = rows_by_cell(p.cell);
  Context context;
  Model model(c, rows, c.fit(rows, context));
  model.set_centers(c, p);
  const Data fresh = uniform_data(60, 2, 5);
  const MatrixXd values = predict(model, fresh, 2);
  for (index_t i = 0; i < 60; ++i) {
    const MatrixXd truth = naive_value(model.view, naive_cell(model.view, fresh, i), fresh, i);
    EXPECT_LT(max_abs(values.row(i) - truth), 1e-9 * std::max(1.0, max_abs(truth)));
  }
  EXPECT_EQ(predict(model, Data(0, 2), 2).rows(), 0);
}

TEST(Vpsvm, RandomChunksPredictTheirMean) {
  const Case c = wave_case(240, 2, 2);
  const auto rows = rows_by_cell(partition(c, PartitionType::kRandom, 4).cell);
  ASSERT_EQ(rows.size(), 4u);
  Context context;
  const Model model(c, rows, c.fit(rows, context));
  const Data fresh = uniform_data(50, 2, 6);
  const MatrixXd values = predict(model, fresh, 2);
  for (index_t i = 0; i < 50; ++i) {
    MatrixXd mean = MatrixXd::Zero(1, 2);
    for (std::size_t cell = 0; cell < 4; ++cell)
      mean += naive_value(model.view, cell, fresh, i) / 4;
    EXPECT_LT(max_abs(values.row(i) - mean), 1e-9);
  }
}

struct Stop : std::exception {};

// Seconds that a fit goes on after its poll hook has asked it to stop.
double seconds_to_stop(const Case& c, const std::vector<Rows>& rows, int threads, double delay) {
  Context context;
  context.threads = threads;
  const auto start = clock::now();
  clock::time_point asked;
  context.poll = [&] {
    if (seconds_since(start) < delay) return;
    asked = clock::now();
    throw Stop();
  };
  EXPECT_THROW(c.fit(rows, context), Stop);
  return seconds_since(start) - std::chrono::duration<double>(asked - start).count();
}

TEST(Vpsvm, ALongFitStopsAtOnceAndTheNextOneWorks) {
  const double limit = slow_run() ? 20 : 2;  // the promise is a second; a busy machine gets two
  const Case c = wave_case(slow_run() ? 600 : 3000, 10, 4);
  Rows all(at(c.x.rows));
  std::iota(all.begin(), all.end(), index_t{0});
  const std::vector<Rows> one = {all};
  const auto many = rows_by_cell(partition(c, PartitionType::kRandom, 5).cell);
  for (const int threads : {1, 2}) {
    EXPECT_LT(seconds_to_stop(c, one, threads, 0), limit);
    EXPECT_LT(seconds_to_stop(c, one, threads, 0.4), limit);
    EXPECT_LT(seconds_to_stop(c, many, threads, 0.05), limit);
  }
  const Case small = wave_case(100, 2, 1);
  Context context;
  EXPECT_TRUE(small.fit(rows_by_cell(std::vector<std::int32_t>(100, 0)), context)[0].converged);
}

TEST(Vpsvm, ProgressSaysHowManyCells) {
  const Case c = wave_case(120, 2, 1);
  Context context;
  double total = 0;
  context.progress = [&](const char* name, double done, double all) {
    EXPECT_NE(std::string(name).find("3 cells"), std::string::npos) << name;
    EXPECT_LE(done, all);
    total = all;
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(1050));
  c.fit(rows_by_cell(partition(c, PartitionType::kRandom, 3).cell), context);
  EXPECT_GT(total, 0);
}

}  // namespace
}  // namespace flexkern
