#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/device/cpu/pairwise.h"
#include "core/model/assign.h"
#include "core/model/grid.h"
#include "core/model/partition.h"
#include "core/model/vpsvm.h"
#include "naive.h"
#include "sparse_data.h"

namespace flexkern {
namespace {

TEST(Sparse, TransposingExchangesRowsAndColumns) {
  for (const double share : {0.0, 0.1, 1.0}) {
    const Data x = thinned(uniform_data(13, 29, 1), share, 2);
    const SparseData sparse(x);
    const SparseRows columns = SparseRows::transpose(sparse.ref());
    EXPECT_EQ(to_eigen(to_data(columns.ref()).view()), to_eigen(x.view()).transpose());
    const SparseRows back = SparseRows::transpose(columns.ref());
    EXPECT_EQ(to_data(back.ref()).values, x.values);
  }
}

TEST(Sparse, ChosenAndMiddleRowsAreThoseRows) {
  const Data x = thinned(uniform_data(20, 9, 1), 0.3, 2);
  const SparseData sparse(x);
  const Points points = sparse.ref();
  const MatrixXd dense = to_eigen(x.view());
  const Points middle = points.middle(5, 7);
  EXPECT_EQ(to_eigen(to_data(middle.sparse()).view()), dense.middleRows(5, 7));
  EXPECT_EQ(to_data(SparseRows::transpose(middle.sparse()).ref()).rows, 9);
  const ChosenPoints chosen(middle, {6, 0, 6});
  const MatrixXd rows = to_eigen(to_data(chosen.points().sparse()).view());
  ASSERT_EQ(rows.rows(), 3);
  EXPECT_EQ(rows.row(0), dense.row(11));
  EXPECT_EQ(rows.row(1), dense.row(5));
  EXPECT_EQ(rows.row(2), dense.row(11));
}

class SparseKernelTest : public testing::TestWithParam<const Micro*> {
 protected:
  const Micro& micro() const { return *GetParam(); }
  MatrixXd gram(const Points& x, const Kernel& kernel, int threads = 1) {
    const auto matrix = device_for(micro())->gram(x, kernel, threads, context_);
    matrix->set_gamma(kernel.gamma);
    const index_t n = x.rows();
    std::vector<index_t> rows(at(n));
    for (index_t i = 0; i < n; ++i) rows[at(i)] = i;
    Buffer<float> lower(n * n);
    matrix->submatrix(rows, lower.data(), n);
    MatrixXd out(n, n);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i) out(i, j) = out(j, i) = lower[j * n + i];
    return out;
  }
  MatrixXd expand(const Points& x, const Points& centers, const Kernel& kernel, const Data& coef,
                  int threads = 1) {
    MatrixXd out(x.rows(), coef.cols);
    device_for(micro())->expand(x, centers, kernel, coef.view(),
                                {out.data(), out.rows(), out.cols()}, threads, context_);
    return out;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, SparseKernelTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(SparseKernelTest, GramMatricesAreThoseOfTheDensePoints) {
  for (const index_t n : {1, 16, 17, 130})
    for (const double share : {0.0, 0.02, 0.5})
      for (const bool zeros : {false, true}) {
        const Data x = thinned(uniform_data(n, 40, 1), share, 2);
        const SparseData sparse(x, zeros);
        for (const Kernel& kernel : {radial(0.3), radial(20), polynomial(0.1, 3, 1), linear()}) {
          const MatrixXd truth = naive_gram(kernel, x.view(), x.view());
          EXPECT_LT(max_abs(gram(sparse.ref(), kernel) - truth), 3e-6 * (1 + max_abs(truth)));
        }
      }
}

TEST_P(SparseKernelTest, ExpansionsAreThoseOfTheDensePoints) {
  const Data coef = uniform_data(123, 5, 7);
  for (const double share : {0.0, 0.03, 0.7}) {
    const Data x = thinned(uniform_data(77, 60, 1), share, 2);
    const Data z = thinned(uniform_data(123, 60, 3), share, 4);
    const SparseData points(x), centers(z, true);
    for (const Kernel& kernel : {radial(0.3), polynomial(0.1, 2, 1), linear()}) {
      const MatrixXd truth = naive_gram(kernel, x.view(), z.view()) * to_eigen(coef.view());
      const MatrixXd values = expand(points.ref(), centers.ref(), kernel, coef);
      EXPECT_LT(max_abs(values - truth), 1e-11);
      EXPECT_EQ(expand(points.ref(), centers.ref(), kernel, coef, 3), values);
    }
  }
}

// The shift leaves distances alone and moves the points of inner products.
TEST_P(SparseKernelTest, InnerProductsAreThoseOfShiftedPoints) {
  const Data shift = uniform_data(1, 50, 9), coef = uniform_data(90, 2, 7);
  const Data x = thinned(uniform_data(90, 50, 1), 0.1, 2);
  Data moved = x;
  for (index_t k = 0; k < 50; ++k)
    for (index_t i = 0; i < 90; ++i) moved(i, k) -= shift(0, k);
  const SparseData sparse(x);
  const Points points(sparse.ref(), shift.values.data());
  for (const Kernel& kernel : {radial(0.5), linear(), polynomial(0.05, 3, 0.5)}) {
    const MatrixXd truth = naive_gram(kernel, moved.view(), moved.view());
    EXPECT_LT(max_abs(gram(points, kernel) - truth), 3e-6 * (1 + max_abs(truth)));
    EXPECT_LT(max_abs(expand(points, points, kernel, coef) - truth * to_eigen(coef.view())), 1e-10);
    const auto diagonal = kernel_diagonal(points, kernel, micro());
    for (index_t i = 0; i < 90; ++i) EXPECT_NEAR(diagonal[at(i)], truth(i, i), 1e-11);
    const ChosenPoints chosen(points, {3, 50});
    const MatrixXd part = gram(chosen.points(), kernel);
    EXPECT_NEAR(part(1, 0), truth(50, 3), 3e-6 * (1 + std::abs(truth(50, 3))));
  }
}

TEST_P(SparseKernelTest, EqualRowsGetExactlyOne) {
  Data x = thinned(uniform_data(40, 100, 1), 0.2, 2);
  for (index_t k = 0; k < 100; ++k) x(30, k) = x(3, k);
  for (double& v : x.values) v *= 1e4;
  EXPECT_EQ(gram(SparseData(x).ref(), radial(5))(30, 3), 1);
}

TEST_P(SparseKernelTest, AValueDependsOnItsRowAlone) {
  const SparseData x(thinned(uniform_data(50, 200, 1), 0.1, 2));
  const SparseData z(thinned(uniform_data(70, 200, 3), 0.1, 4));
  const Data coef = uniform_data(70, 2, 5);
  const Points points = x.ref();
  const MatrixXd all = expand(points, z.ref(), radial(0.2), coef);
  for (const index_t first : {0, 1, 17, 49}) {
    const MatrixXd rest = expand(points.middle(first, 50 - first), z.ref(), radial(0.2), coef);
    EXPECT_EQ(rest, all.bottomRows(50 - first));
  }
}

TEST_P(SparseKernelTest, PointsOfTwoKindsAreRefused) {
  const Data x = uniform_data(5, 3, 1);
  EXPECT_THROW(expand(x.view(), SparseData(x).ref(), radial(1), uniform_data(5, 1, 2)), Error);
}

// ---- distances and partitions ------------------------------------------------------------------

TEST(SparseDistance, HasTheBitsOfTheDenseOne) {
  const double far = std::numeric_limits<double>::infinity();
  Context context;
  for (index_t d = 1; d < 70; ++d) {
    const Data x = thinned(uniform_data(6, d, 1), 0.4, static_cast<std::uint64_t>(d));
    const SparseData sparse(x, d % 2 == 0);
    const PackedRows a(x.view(), context), b(sparse.ref(), context);
    for (index_t i = 0; i < 6; ++i)
      for (index_t j = 0; j < 6; ++j)
        EXPECT_EQ(squared_distance(b.row(i), b.row(j), far),
                  squared_distance(a.row(i), a.row(j), far));
  }
}

TEST(SparseDistance, RowsWithoutEntriesAreAtTheOrigin) {
  Context context;
  const SparseData none(Data(3, 5)), some(uniform_data(3, 5, 1));
  const PackedRows a(none.ref(), context), b(some.ref(), context);
  double norm = 0;
  for (index_t k = 0; k < 5; ++k) norm += some.value[at(k)] * some.value[at(k)];
  EXPECT_DOUBLE_EQ(squared_distance(a.row(1), b.row(0), 1e9), rounded(norm));
  EXPECT_DOUBLE_EQ(squared_distance(b.row(0), a.row(1), 1e9), rounded(norm));
  EXPECT_EQ(squared_distance(a.row(1), a.row(0), 1e9), 0);
}

TEST(SparseDistance, NearestCentersAreThoseOfTheDenseRowsTiesIncluded) {
  Context context;
  for (const index_t m : {1, 2, 40, 300}) {
    const Data x = thinned(grid_data(200, 30, 2, 1), 0.2, 2);
    const Data z = thinned(grid_data(m, 30, 2, 3), 0.2, 4);
    const SparseData points(x), centers(z);
    context.threads = 2;
    EXPECT_EQ(assign(points.ref(), centers.ref(), context), assign(x.view(), z.view(), context));
    const NearestCenter sparse(PackedRows(centers.ref(), context), 200, context);
    const NearestCenter dense(PackedRows(z.view(), context), 200, context);
    const PackedRows a(points.ref(), context), b(x.view(), context);
    for (index_t i = 0; i < 200; ++i) {
      const auto first = sparse.find(a.row(i)), same = dense.find(b.row(i));
      EXPECT_EQ(first.squared_distance, same.squared_distance);
      EXPECT_EQ(sparse.find_second(a.row(i), first).center,
                dense.find_second(b.row(i), same).center);
    }
  }
}

TEST(SparseDistance, PartitionsAreThoseOfTheDenseRows) {
  const Data x = thinned(grid_data(900, 40, 3, 1), 0.15, 2);
  const SparseData sparse(x);
  for (const PartitionType type : {PartitionType::kVoronoi, PartitionType::kBounded}) {
    PartitionOptions options;
    options.type = type;
    options.cells = 25;
    options.max_cell = 120;
    Context context;
    context.threads = 2;
    context.seed = 3;
    const Partition a = make_partition(x.view(), options, context);
    const Partition b = make_partition(sparse.ref(), options, context);
    EXPECT_GT(a.centers.size(), 10u);
    EXPECT_EQ(a.cell, b.cell);
    EXPECT_EQ(a.centers, b.centers);
    EXPECT_EQ(a.cell_of_center, b.cell_of_center);
    EXPECT_EQ(a.radius, b.radius);
  }
}

TEST(SparseDistance, SparseRowsAreNotCopiedForAPartition) {
  PartitionOptions options;
  options.cells = 3;
  Context context;
  context.memory = 1000;
  const Data x = thinned(uniform_data(200, 100, 1), 0.02, 2);
  EXPECT_THROW(make_partition(x.view(), options, context), MemoryBudgetError);
  EXPECT_EQ(make_partition(SparseData(x).ref(), options, context).centers.size(), 3u);
}

// ---- fits --------------------------------------------------------------------------------------

TEST(SparseFit, VaryingColumnsCountTheZerosWithoutEntry) {
  Data x(4, 6);
  for (index_t i = 0; i < 4; ++i) x(i, 0) = 2;                // constant, all stored
  for (index_t i = 1; i < 4; ++i) x(i, 1) = 2;                // one zero
  for (index_t i = 0; i < 4; ++i) x(i, 2) = 1.0 / (i + 1.0);  // all different
  x(3, 3) = -1;
  for (const bool zeros : {false, true})
    EXPECT_EQ(varying_columns(SparseData(x, zeros).ref()), varying_columns(x.view()));
  EXPECT_EQ(varying_columns(x.view()), 3);
  EXPECT_EQ(varying_columns(SparseData(Data(0, 3)).ref()), 0);
}

struct Fitted {
  std::vector<CellFit> cells;
  MatrixXd predicted;
};

// Cells of rows 0, 2, ... and of rows 1, 3, ..., whose mean predicts.
Fitted fit_and_predict(const Points& x, const Points& at_points, const Data& y,
                       const Kernel& kernel, int threads) {
  Context context;
  context.threads = threads;
  context.seed = 4;
  CellOptions options;
  options.kernel = kernel;
  options.lambdas = {1e-1, 1e-3};
  const CellData data{x, y.view(), std::vector<double>(at(y.rows), 1.0),
                      std::vector<int>(at(y.rows), 0)};
  std::vector<std::vector<index_t>> rows(2);
  std::vector<index_t> order;
  for (index_t i = 0; i < y.rows; ++i) rows[at(i % 2)].push_back(i);
  for (const auto& r : rows) order.insert(order.end(), r.begin(), r.end());
  double bytes = 0;
  const auto device = make_device("cpu", "auto");
  Fitted out{fit_cells(data, rows, {}, options, *device, context, bytes),
             MatrixXd(at_points.rows(), 1)};
  std::vector<double> coef;
  for (const CellFit& f : out.cells) coef.insert(coef.end(), f.coef.begin(), f.coef.end());
  const double zero[] = {0, 0};
  const ChosenPoints vectors(x, order);
  VpModel model;
  model.vectors = vectors.points();
  model.coef = {coef.data(), y.rows, 1};
  model.intercept = {zero, 2, 1};
  model.offset = {0, static_cast<index_t>(rows[0].size()), y.rows};
  for (const CellFit& f : out.cells) model.gamma.push_back(f.choice.gamma);
  model.kernel = kernel;
  predict_cells(model, at_points, *device, {out.predicted.data(), at_points.rows(), 1}, context);
  return out;
}

TEST(SparseFit, CellsAndPredictionsAreThoseOfTheDensePoints) {
  for (const index_t n : {90, 1400}) {
    const Data x = thinned(uniform_data(n, 25, 1), 0.3, 2), z = thinned(x, 0.8, 3);
    const Data y = waves(x, 1, 0.1, 5);
    const SparseData points(x), others(z);
    for (const Kernel& kernel : {radial(1), polynomial(0.1, 2, 1), linear()}) {
      const Fitted dense = fit_and_predict(x.view(), z.view(), y, kernel, 1);
      const Fitted sparse = fit_and_predict(points.ref(), others.ref(), y, kernel, 1);
      EXPECT_EQ(sparse.cells[0].choice.lambda, dense.cells[0].choice.lambda);
      EXPECT_EQ(sparse.cells[1].choice.gamma, dense.cells[1].choice.gamma);
      EXPECT_LT(max_abs(sparse.predicted - dense.predicted), 1e-5);
      const Fitted again = fit_and_predict(points.ref(), others.ref(), y, kernel, 2);
      EXPECT_EQ(again.predicted, sparse.predicted);
      EXPECT_EQ(again.cells[0].coef, sparse.cells[0].coef);
    }
  }
}

// Rows times columns exceed 2^31: nothing may be as large, and no index may overflow.
TEST(SparseFit, ManyColumnsCostLittle) {
  const index_t n = slow_run() ? 150 : 2200;
  SparseData x(thinned(uniform_data(n, 40, 1), 0.3, 2));
  for (std::int32_t& k : x.column) k *= 25000;
  x.cols = 1000000;
  EXPECT_LT(Points(x.ref()).bytes(), 1e7);
  const Data y = waves(uniform_data(n, 2, 3), 1, 0.1, 5);
  const Fitted fit = fit_and_predict(x.ref(), x.ref(), y, radial(1), 1);
  EXPECT_TRUE(fit.predicted.allFinite());
  PartitionOptions options;
  options.type = PartitionType::kBounded;
  options.max_cell = n / 3;
  Context context;
  const Partition partition = make_partition(x.ref(), options, context);
  EXPECT_GT(partition.cell_of_center.size(), 2u);
}

}  // namespace
}  // namespace flexkern
