#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/model/assign.h"
#include "core/model/partition.h"
#include "random_data.h"

namespace flexkern {
namespace {

// Algorithm 1 as it is printed.
double naive_distance(ConstMatrixRef x, index_t i, ConstMatrixRef z, index_t k) {
  double sum = 0;
  for (index_t j = 0; j < x.cols(); ++j) sum += (x(i, j) - z(k, j)) * (x(i, j) - z(k, j));
  return std::sqrt(sum);
}

std::vector<std::int32_t> naive_assign(ConstMatrixRef x, ConstMatrixRef z) {
  std::vector<std::int32_t> cell(x.rows(), 0);
  for (index_t i = 0; i < x.rows(); ++i)
    for (index_t k = 1; k < z.rows(); ++k)
      if (naive_distance(x, i, z, k) < naive_distance(x, i, z, cell[i]))
        cell[i] = static_cast<std::int32_t>(k);
  return cell;
}

Data rows_of(const Data& x, const std::vector<std::int32_t>& rows) {
  Data z(static_cast<index_t>(rows.size()), x.cols);
  for (index_t k = 0; k < z.rows; ++k)
    for (index_t j = 0; j < x.cols; ++j) z(k, j) = x(rows[k], j);
  return z;
}

std::vector<std::int32_t> naive_centers(const Data& x, index_t first, double radius) {
  std::vector<std::int32_t> centers{static_cast<std::int32_t>(first)};
  for (;;) {
    double largest = -1;
    std::int32_t farthest = 0;
    for (index_t i = 0; i < x.rows; ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const auto c : centers)
        nearest = std::min(nearest, naive_distance(x.view(), i, x.view(), c));
      if (nearest > largest) {
        largest = nearest;
        farthest = static_cast<std::int32_t>(i);
      }
    }
    if (largest <= radius) return centers;
    centers.push_back(farthest);
  }
}

Partition voronoi(const Data& x, double radius, index_t first = -1, int threads = 1,
                  index_t cells = std::numeric_limits<index_t>::max()) {
  Context context;
  context.threads = threads;
  context.seed = 11;
  PartitionOptions options;
  options.radius = radius;
  options.first = first;
  options.cells = cells;
  return make_partition(x.view(), options, context);
}

void expect_equals_naive(const Data& x, double radius) {
  const index_t first = x.rows / 2;
  const Partition p = voronoi(x, radius, first);
  EXPECT_EQ(p.centers, naive_centers(x, first, radius));
  EXPECT_EQ(p.cell, naive_assign(x.view(), rows_of(x, p.centers).view()));
}

TEST(Voronoi, TheSevenPointsOfTheWorkedExample) {
  Data x(7, 1);
  x.values = {.3, -.9, .95, -.2, .6, -.6, .1};
  const Partition p = voronoi(x, 0.4, 0);
  EXPECT_EQ(p.centers, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(p.cell, (std::vector<std::int32_t>{0, 1, 2, 3, 0, 1, 0}));
  EXPECT_EQ(p.cell_of_center, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_NEAR(p.radius, 0.3, 1e-10);  // distances are rounded
}

TEST(Voronoi, EqualsTheNaiveLoopOnRandomData) {
  for (const index_t d : {1, 2, 3, 5, 16, 17, 40})
    for (const double radius : {0.1, 0.5, 2.0})
      expect_equals_naive(uniform_data(150, d, d), radius);
}

TEST(Voronoi, EqualsTheNaiveLoopWithTiesAndDuplicates) {
  for (const index_t d : {1, 2, 3, 20})
    for (const double radius : {0.0, 1.0, 2.0})
      expect_equals_naive(grid_data(200, d, 1, d), radius);
}

TEST(Voronoi, AZeroRadiusGivesACellToEveryDistinctPoint) {
  const Partition p = voronoi(grid_data(500, 2, 1, 3), 0.0);
  EXPECT_EQ(p.centers.size(), 9u);
  EXPECT_EQ(p.radius, 0.0);
}

TEST(Voronoi, ALargeRadiusGivesOneCell) {
  EXPECT_EQ(voronoi(uniform_data(100, 3, 1), 10.0).centers.size(), 1u);
  EXPECT_EQ(voronoi(Data(1, 4), 1.0).cell, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(voronoi(Data(50, 4), 0.0).centers.size(), 1u);
}

TEST(Voronoi, StopsAfterTheWantedNumberOfCells) {
  EXPECT_EQ(voronoi(uniform_data(300, 3, 1), 0.0, -1, 1, 12).centers.size(), 12u);
}

TEST(Voronoi, IsTheSameForAnyNumberOfThreads) {
  const Data x = uniform_data(100000, 3, 8);
  const Partition one = voronoi(x, 0.3, -1, 1), four = voronoi(x, 0.3, -1, 4);
  EXPECT_EQ(one.cell, four.cell);
  EXPECT_EQ(one.centers, four.centers);
  EXPECT_EQ(one.radius, four.radius);
}

TEST(Assign, EqualsTheNaiveLoop) {
  for (const index_t d : {1, 2, 7, 33})
    for (const index_t m : {1, 2, 9, 60, 130}) {
      const Data x = uniform_data(300, d, 1), z = uniform_data(m, d, 2);
      Context context;
      context.threads = 2;
      EXPECT_EQ(assign(x.view(), z.view(), context), naive_assign(x.view(), z.view()));
    }
}

TEST(Assign, TiesGoToTheSmallestIndexAlsoWithDuplicateCenters) {
  for (const index_t d : {1, 2, 3}) {
    const Data x = grid_data(400, d, 3, 1), z = grid_data(100, d, 3, 2);
    Context context;
    EXPECT_EQ(assign(x.view(), z.view(), context), naive_assign(x.view(), z.view()));
  }
}

TEST(Assign, SurvivesExtremeScales) {
  for (const double scale : {1e-160, 1e-22, 1e22, 1e160}) {
    Data x = uniform_data(200, 3, 1), z = uniform_data(40, 3, 2);
    for (double& v : x.values) v *= scale;
    for (double& v : z.values) v *= scale;
    Context context;
    const auto cell = assign(x.view(), z.view(), context);
    for (const auto c : cell) {
      EXPECT_GE(c, 0);
      EXPECT_LT(c, 40);
    }
    if (scale > 1e-100 && scale < 1e100) {
      EXPECT_EQ(cell, naive_assign(x.view(), z.view()));
    }
  }
}

TEST(Assign, NoRowsGiveNoCells) {
  Context context;
  EXPECT_TRUE(assign(Data(0, 2).view(), Data(3, 2).view(), context).empty());
}

TEST(NearestCenter, FindsTheSecondNearestToo) {
  const Data x = uniform_data(500, 3, 1), z = uniform_data(70, 3, 2);
  Context context;
  const NearestCenter bounded(PackedRows(z.view(), context), 1000, context);
  const NearestCenter plain(PackedRows(z.view(), context), 1, context);
  const PackedRows rows(x.view(), context);
  for (index_t i = 0; i < x.rows; ++i) {
    const auto first = bounded.find(rows.row(i)), second = bounded.find_second(rows.row(i), first);
    EXPECT_EQ(first.center, plain.find(rows.row(i)).center);
    EXPECT_EQ(second.center, plain.find_second(rows.row(i), first).center);
    EXPECT_GE(second.squared_distance, first.squared_distance);
  }
}

TEST(RandomChunks, HaveSizesThatDifferByAtMostOne) {
  Context context;
  PartitionOptions options;
  options.type = PartitionType::kRandom;
  options.cells = 7;
  const Partition p = make_partition(Data(100, 1).view(), options, context);
  std::vector<int> size(7, 0);
  for (const auto c : p.cell) ++size[c];
  for (const int s : size) EXPECT_TRUE(s == 14 || s == 15);
  EXPECT_TRUE(p.centers.empty());
  EXPECT_TRUE(std::isnan(p.radius));
  EXPECT_FALSE(p.cell[0] == 0 && p.cell[1] == 1 && p.cell[2] == 2 && p.cell[3] == 3);
}

TEST(NoPartition, IsOneCell) {
  Context context;
  PartitionOptions options;
  options.type = PartitionType::kNone;
  const Partition p = make_partition(Data(3, 2).view(), options, context);
  EXPECT_EQ(p.cell, (std::vector<std::int32_t>{0, 0, 0}));
}

TEST(Partition, RefusesWorkBeyondTheMemoryBudget) {
  Context context;
  context.memory = 1000;
  EXPECT_THROW(make_partition(Data(100, 10).view(), PartitionOptions(), context),
               MemoryBudgetError);
}

}  // namespace
}  // namespace flexkern
