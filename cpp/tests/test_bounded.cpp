#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "core/model/agglomerate.h"
#include "core/model/assign.h"
#include "core/model/partition.h"
#include "random_data.h"

namespace flexkern {
namespace {

Partition bounded(const Data& x, index_t max_cell, index_t min_cell = 1, int threads = 1,
                  std::uint64_t seed = 1) {
  Context context;
  context.threads = threads;
  context.seed = seed;
  PartitionOptions options;
  options.type = PartitionType::kBounded;
  options.max_cell = max_cell;
  options.min_cell = min_cell;
  return make_partition(x.view(), options, context);
}

std::vector<index_t> sizes(const Partition& p) {
  std::vector<index_t> size(*std::max_element(p.cell.begin(), p.cell.end()) + 1, 0);
  for (const auto c : p.cell) ++size[c];
  return size;
}

std::vector<double> row(const Data& x, index_t i) {
  std::vector<double> values;
  for (index_t j = 0; j < x.cols; ++j) values.push_back(x(i, j));
  return values;
}

index_t largest_group_of_duplicates(const Data& x) {
  std::map<std::vector<double>, index_t> count;
  index_t largest = 0;
  for (index_t i = 0; i < x.rows; ++i) largest = std::max(largest, ++count[row(x, i)]);
  return largest;
}

// What holds for every bounded partition: the nearest centre tells the cell, no cell is empty,
// identical rows share a cell, and no cell is too large.
Partition checked(const Data& x, index_t max_cell, index_t min_cell = 1) {
  const Partition p = bounded(x, max_cell, min_cell);
  Data z(static_cast<index_t>(p.centers.size()), x.cols);
  for (index_t k = 0; k < z.rows; ++k)
    for (index_t j = 0; j < x.cols; ++j) z(k, j) = x(p.centers[k], j);
  Context context;
  const auto nearest = assign(x.view(), z.view(), context);
  EXPECT_EQ(p.cell.size(), static_cast<std::size_t>(x.rows));
  for (index_t i = 0; i < x.rows; ++i) EXPECT_EQ(p.cell[i], p.cell_of_center[nearest[i]]);
  std::set<std::vector<double>> distinct;
  for (const auto c : p.centers) distinct.insert(row(x, c));
  EXPECT_EQ(distinct.size(), p.centers.size());
  const index_t limit = std::max(max_cell, largest_group_of_duplicates(x) + min_cell);
  for (const index_t s : sizes(p)) {
    EXPECT_GT(s, 0);
    EXPECT_LE(s, limit);
  }
  return p;
}

TEST(Bounded, CutsUniformDataIntoFewLargeCells) {
  for (const index_t d : {1, 2, 8}) {
    const Partition p = checked(uniform_data(5000, d, d), 500, 20);
    EXPECT_LE(sizes(p).size(), 14u);
    for (const index_t s : sizes(p)) EXPECT_GE(s, 125);
  }
}

TEST(Bounded, OneCellSufficesForFewRows) {
  for (const index_t n : {1, 2, 100}) {
    const Partition p = checked(uniform_data(n, 2, 1), 100);
    EXPECT_EQ(sizes(p).size(), 1u);
    EXPECT_EQ(p.centers.size(), 1u);
  }
}

TEST(Bounded, TinyLimitsHold) {
  for (const index_t max_cell : {1, 2, 3, 7}) {
    checked(uniform_data(60, 2, 1), max_cell);
    checked(uniform_data(2, 1, 1), max_cell);
    checked(grid_data(60, 2, 1, 1), max_cell);
  }
}

TEST(Bounded, IdenticalRowsStayTogether) {
  const Partition p = checked(Data(300, 3), 100);
  EXPECT_EQ(p.centers.size(), 1u);
  EXPECT_EQ(p.radius, 0.0);
}

TEST(Bounded, SplitsAllThatIsNotIdentical) {
  Data x = uniform_data(2000, 2, 4);
  for (index_t i = 0; i < 900; ++i) x(i, 0) = x(i, 1) = 0.25;
  const std::vector<index_t> size = sizes(checked(x, 200, 10));
  EXPECT_EQ(std::count_if(size.begin(), size.end(), [](index_t s) { return s > 200; }), 1);
}

TEST(Bounded, ManyDuplicatesOfFewPoints) {
  checked(grid_data(3000, 2, 2, 5), 200);
  checked(grid_data(3000, 1, 2, 5), 100);
}

TEST(Bounded, AFewRowsBesideAMassOfIdenticalOnesJoinIt) {
  Data x(1003, 2);
  x(0, 0) = 1;
  x(1, 0) = 2;
  x(2, 1) = -3;
  EXPECT_EQ(sizes(checked(x, 500, 20)).size(), 1u);
}

TEST(Bounded, HeavyOutliersGetNoCellsOfTheirOwn) {
  Data x = uniform_data(4000, 2, 6);
  Rng rng(3, 0);
  for (double& v : x.values) v = v < 0 ? -1 / std::pow(-v, 3) : 1 / std::pow(v, 3);
  for (const index_t s : sizes(checked(x, 400, 50))) EXPECT_GE(s, 50);
}

TEST(Bounded, TightClumpsFarApart) {
  Data x = uniform_data(6000, 3, 7);
  for (index_t i = 0; i < x.rows; ++i)
    for (index_t j = 0; j < 3; ++j) x(i, j) = 1e-6 * x(i, j) + static_cast<double>((i * 7) % 2);
  EXPECT_LE(sizes(checked(x, 1000, 50)).size(), 9u);
}

TEST(Bounded, IsTheSameForAnyNumberOfThreadsAndFollowsTheSeed) {
  const Data x = uniform_data(20000, 4, 9);
  const Partition one = bounded(x, 1000, 1, 1), four = bounded(x, 1000, 1, 4);
  EXPECT_EQ(one.cell, four.cell);
  EXPECT_EQ(one.centers, four.centers);
  EXPECT_EQ(one.cell_of_center, four.cell_of_center);
  EXPECT_NE(one.centers, bounded(x, 1000, 1, 1, 2).centers);
}

TEST(Agglomerate, JoinsAlongTheLongestBordersWithinTheLimit) {
  RegionGraph graph{{10, 10, 10, 10}, {{{1, 9}}, {{0, 9}, {2, 2}}, {{1, 2}, {3, 5}}, {{2, 5}}}};
  EXPECT_EQ(agglomerate(graph, 20), (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(agglomerate(graph, 40), (std::vector<std::int32_t>{0, 0, 0, 0}));
  EXPECT_EQ(agglomerate(graph, 19), (std::vector<std::int32_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace flexkern
