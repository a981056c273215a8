#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/cell.h"
#include "core/model/partition.h"
#include "naive.h"

namespace flexkern {
namespace {

using Margins = std::vector<std::vector<std::int32_t>>;

double square(const Data& x, index_t i, index_t j) {
  double sum = 0;
  for (index_t k = 0; k < x.cols; ++k) sum += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
  return sum;
}

// Distance of a row to the nearest plane between its own region and one of the cell's.
double to_border(const Data& x, const Partition& p, index_t row, std::int32_t cell) {
  const index_t own = p.centers[at(p.region[at(row)])];
  double least = HUGE_VAL;
  for (std::size_t a = 0; a < p.centers.size(); ++a)
    if (p.cell_of_center[a] == cell) {
      const double excess = square(x, row, p.centers[a]) - square(x, row, own);
      least = std::min(least, excess / (2 * std::sqrt(square(x, own, p.centers[a]))));
    }
  return least;
}

Margins naive_margins(const Data& x, const Partition& p, double overlap) {
  Margins margins;
  const std::int32_t cells = 1 + *std::max_element(p.cell.begin(), p.cell.end());
  for (std::int32_t c = 0; c < cells; ++c) {
    std::vector<std::pair<double, std::int32_t>> outside;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(x.rows); ++i)
      if (p.cell[at(i)] != c) outside.push_back({to_border(x, p, i, c), i});
    std::sort(outside.begin(), outside.end());
    const double own = static_cast<double>(at(x.rows) - outside.size());
    outside.resize(std::min(outside.size(), static_cast<std::size_t>(overlap * own + 0.5)));
    margins.emplace_back();
    for (const auto& row : outside) margins.back().push_back(row.second);
    std::sort(margins.back().begin(), margins.back().end());
  }
  return margins;
}

Partition cut(const Data& x, PartitionType type, double overlap, int threads) {
  Context context;
  context.seed = 3;
  context.threads = threads;
  PartitionOptions options;
  options.type = type;
  options.cells = 8;
  options.max_cell = x.rows / 5;
  options.overlap = overlap;
  return make_partition(x.view(), options, context);
}

TEST(Margin, EqualsTheNaiveLoop) {
  for (const PartitionType type : {PartitionType::kVoronoi, PartitionType::kBounded})
    for (const double overlap : {0.1, 0.5, 1.0})
      for (const index_t d : {1, 2, 20}) {
        const Data smooth = uniform_data(240, d, 7), tied = grid_data(240, d, 2, 8);
        for (const Data* x : {&smooth, &tied}) {
          const Partition p = cut(*x, type, overlap, 1);
          EXPECT_EQ(p.margin, naive_margins(*x, p, overlap));
          EXPECT_EQ(p.margin, cut(*x, type, overlap, 3).margin);
        }
      }
}

TEST(Margin, IsNowhereWithoutOverlapOrBorders) {
  const Data x = uniform_data(100, 2, 1);
  for (const auto& margin : cut(x, PartitionType::kVoronoi, 0, 1).margin)
    EXPECT_TRUE(margin.empty());
  EXPECT_EQ(cut(Data(20, 2), PartitionType::kVoronoi, 1, 1).margin, Margins(1));
  EXPECT_TRUE(cut(x, PartitionType::kRandom, 1, 1).margin.empty());
}

// A cell whose last rows are a margin.
struct Case {
  Data x, y;
  index_t margin;
  CellOptions options;

  CellFit fit(int threads) const {
    Context context;
    context.seed = 5;
    const CellData data{x.view(), y.view(), std::vector<double>(at(x.rows), 1.0),
                        std::vector<int>(at(x.rows), 0), margin};
    return fit_cell(data, options, *make_device("cpu", "auto"), 3, threads, context);
  }
  MatrixXd gram(double gamma) const { return naive_gram(radial(gamma), x.view(), x.view()); }
  index_t own() const { return x.rows - margin; }

  // Coefficients when fold f is left out (-1: nothing), n the number of own training rows.
  MatrixXd coef(const CellFit& fit, int f) const {
    std::vector<index_t> rows;
    double n = 0;
    for (index_t i = 0; i < x.rows; ++i) {
      if (i < own() && fit.fold[at(i)] == f && f >= 0) continue;
      rows.push_back(i);
      n += i < own();
    }
    const index_t m = static_cast<index_t>(rows.size());
    const MatrixXd k = gram(fit.choice.gamma), all = to_eigen(y.view());
    MatrixXd a(m, m), b(m, y.cols), out = MatrixXd::Zero(x.rows, y.cols);
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < m; ++j) a(i, j) = k(rows[at(i)], rows[at(j)]);
      a(i, i) += fit.choice.lambda * n;
      b.row(i) = all.row(rows[at(i)]);
    }
    const MatrixXd solution = a.partialPivLu().solve(b);
    for (index_t i = 0; i < m; ++i) out.row(rows[at(i)]) = solution.row(i);
    return out;
  }
};

Case wave_case(index_t own, index_t margin, index_t responses) {
  const Data x = uniform_data(own + margin, 2, 4);
  Case c{x, waves(x, responses, 0.3, 5), margin, {}};
  c.options.gammas = {0.5, 3};
  c.options.lambdas = {1e-2, 1e-4};
  c.options.folds = 3;
  return c;
}

void expect_naive(const Case& c) {
  const CellFit fit = c.fit(1);
  const MatrixXd gram = c.gram(fit.choice.gamma);
  MatrixXd expected = MatrixXd::Zero(c.x.rows, c.y.cols), held_out(c.own(), c.y.cols);
  for (int f = 0; f < 3; ++f) {
    const MatrixXd coef = c.coef(fit, f);
    expected += coef / 3;
    for (index_t i = 0; i < c.own(); ++i)
      if (fit.fold[at(i)] == f) held_out.row(i) = gram.row(i) * coef;
  }
  if (!c.options.average) expected = c.coef(fit, -1);
  EXPECT_EQ(fit.fitted.size(), at(c.own() * c.y.cols));
  EXPECT_LT(max_abs(gram * (to_eigen(fit.coef, c.x.rows) - expected)), 1e-5);
  EXPECT_LT(max_abs(to_eigen(fit.fitted, c.own()) - (gram * expected).topRows(c.own())), 1e-5);
  if (c.options.average) {
    EXPECT_LT(max_abs(to_eigen(fit.held_out, c.own()) - held_out), 1e-4);
  }
  EXPECT_EQ(fit.coef, c.fit(2).coef);
}

TEST(Margin, FinalModelsTrainOnIt) {
  for (const index_t own : {30, 120})
    for (const index_t responses : {1, 3})
      for (const bool average : {true, false}) {
        Case c = wave_case(own, own / 2, responses);
        c.options.average = average;
        expect_naive(c);
      }
}

TEST(Margin, TheSearchAndAnotherCellsFoldsIgnoreIt) {
  const Case wide = wave_case(100, 50, 1);
  Case narrow = wide;
  narrow.x = Data(100, 2);
  narrow.y = Data(100, 1);
  narrow.margin = 0;
  for (index_t i = 0; i < 100; ++i) {
    for (index_t k = 0; k < 2; ++k) narrow.x(i, k) = wide.x(i, k);
    narrow.y(i, 0) = wide.y(i, 0);
  }
  const CellFit a = wide.fit(1), b = narrow.fit(1);
  EXPECT_EQ(a.fold, b.fold);
  EXPECT_EQ(a.choice.gamma, b.choice.gamma);
  EXPECT_EQ(a.choice.lambda, b.choice.lambda);
}

TEST(Margin, AResponseThatOnlyVariesThereIsFitted) {
  Case c = wave_case(80, 40, 2);
  for (index_t i = 0; i < 80; ++i) c.y(i, 1) = -1;
  expect_naive(c);
  for (index_t i = 0; i < 80; ++i) c.y(i, 0) = 1;
  const CellFit constant = c.fit(1);
  EXPECT_EQ(constant.intercept, (std::vector<double>{1, -1}));
  EXPECT_EQ(constant.coef, std::vector<double>(160, 0.0));
}

}  // namespace
}  // namespace flexkern
