#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/model/class_distance.h"
#include "random_data.h"

namespace flexkern {
namespace {

using Labels = std::vector<std::int32_t>;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

double naive_distance(const Data& x, index_t i, index_t j) {
  double sum = 0;
  for (index_t k = 0; k < x.cols; ++k) sum += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
  return sum;
}

Labels random_labels(index_t n, int classes, std::uint64_t seed) {
  Labels label(at(n));
  Rng rng(seed, stream::kProbe);
  for (auto& l : label) l = static_cast<std::int32_t>(rng.below(at(classes)));
  for (int k = 0; k < classes; ++k) label[at(k)] = k;
  return label;
}

// The best pair by plain loops over i, j in order, so that ties go to the first.
template <typename Allowed, typename Better>
RowPair naive_best(const Data& x, index_t first, index_t last, Allowed allowed, Better better) {
  RowPair best;
  for (index_t i = first; i < last; ++i)
    for (index_t j = 0; j < x.rows; ++j) {
      const double d = naive_distance(x, i, j);
      if (i == j || !allowed(i, j, d)) continue;
      if (best.none() || better(d, best.distance))
        best = {d, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j)};
    }
  return best;
}

void expect_same(const RowPair& a, const RowPair& b) {
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.second, b.second);
  if (b.none()) return;
  EXPECT_NEAR(a.distance, b.distance, 1e-14 * b.distance);
}

class ClassDistanceTest : public testing::TestWithParam<const Micro*> {
 protected:
  void check(const Data& x, const Labels& label, int threads) {
    Context context;
    context.threads = threads;
    const ClassBlocks blocks(x.view(), label, *GetParam(), context);
    check_diameters(x, label, diameters(blocks, context));
    for (const bool positive : {false, true}) {
      check_nearest(x, label, positive, nearest_other(blocks, positive, context));
      check_closest(x, label, positive, closest_pairs(blocks, positive, context));
    }
    check_means(x, label, mean_distances(blocks, context));
  }

 private:
  static void check_diameters(const Data& x, const Labels& label,
                              const std::vector<RowPair>& found) {
    for (std::size_t k = 0; k < found.size(); ++k)
      expect_same(found[k], naive_best(
                                x, 0, x.rows,
                                [&](index_t i, index_t j, double) {
                                  return label[at(i)] == label[at(j)] && at(label[at(i)]) == k;
                                },
                                [](double a, double b) { return a > b; }));
  }
  static void check_nearest(const Data& x, const Labels& label, bool positive,
                            const std::vector<RowPair>& found) {
    for (index_t row = 0; row < x.rows; ++row) {
      const RowPair want = naive_best(
          x, row, row + 1,
          [&](index_t i, index_t j, double d) {
            return label[at(i)] != label[at(j)] && (d > 0 || !positive);
          },
          [](double a, double b) { return a < b; });
      if (want.none()) {
        EXPECT_EQ(found[at(row)].second, -1);
      } else {
        expect_same(found[at(row)], want);
      }
    }
  }
  static void check_closest(const Data& x, const Labels& label, bool positive,
                            const std::vector<RowPair>& found) {
    const std::int32_t classes = *std::max_element(label.begin(), label.end()) + 1;
    for (std::int32_t k = 0; k < classes; ++k)
      for (std::int32_t l = k + 1; l < classes; ++l)
        expect_same(found[at(class_pair(k, l, classes))],
                    naive_best(
                        x, 0, x.rows,
                        [&](index_t i, index_t j, double d) {
                          return label[at(i)] == k && label[at(j)] == l && (d > 0 || !positive);
                        },
                        [](double a, double b) { return a < b; }));
  }
  static void check_means(const Data& x, const Labels& label, const std::vector<double>& found) {
    const std::int32_t classes = *std::max_element(label.begin(), label.end()) + 1;
    for (std::int32_t k = 0; k < classes; ++k)
      for (std::int32_t l = k + 1; l < classes; ++l) {
        double sum = 0, pairs = 0;
        for (index_t i = 0; i < x.rows; ++i)
          for (index_t j = 0; j < x.rows; ++j)
            if (label[at(i)] == k && label[at(j)] == l) {
              sum += std::sqrt(naive_distance(x, i, j));
              ++pairs;
            }
        EXPECT_NEAR(found[at(class_pair(k, l, classes))], sum / pairs, 1e-12 * sum / pairs);
      }
  }
};

INSTANTIATE_TEST_SUITE_P(Sets, ClassDistanceTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(ClassDistanceTest, AgreesWithLoops) {
  for (const index_t n : {3, 48, 49, 200})
    for (const index_t d : {1, 3, 20})
      check(uniform_data(n, d, at(n + d)), random_labels(n, 3, at(n)), 2);
}

TEST_P(ClassDistanceTest, TiesAndDuplicatesGoToTheFirstRows) {
  for (const int levels : {0, 1, 3})
    check(grid_data(150, 2, levels, 4), random_labels(150, 4, 5), 2);
}

TEST_P(ClassDistanceTest, FarOffsetsAndTinyDifferences) {
  Data x = uniform_data(120, 3, 6);
  for (index_t i = 0; i < x.rows; ++i) {
    x(i, 0) += 1e6;
    x(i, 1) *= 1e-9;
    if (i % 3) x(i, 2) = 1e-30 * x(i, 2);
  }
  check(x, random_labels(120, 3, 7), 1);
}

TEST_P(ClassDistanceTest, BlocksAreSmallAndCoverTheRows) {
  const Data x = uniform_data(500, 4, 8);
  Context context;
  const ClassBlocks blocks(x.view(), random_labels(500, 3, 9), *GetParam(), context);
  std::set<std::int32_t> rows;
  for (index_t b = 0; b < blocks.blocks(); ++b) {
    EXPECT_LE(blocks.begin(b + 1) - blocks.begin(b), BlockTiles::kMaxPoints);
    for (index_t i = blocks.begin(b); i < blocks.begin(b + 1); ++i) rows.insert(blocks.row(i));
  }
  EXPECT_EQ(rows.size(), 500u);
}

TEST_P(ClassDistanceTest, CanBeCancelled) {
  const Data x = uniform_data(3000, 40, 10);
  const Labels label = random_labels(3000, 2, 11);
  Context context;
  context.threads = 2;
  const ClassBlocks blocks(x.view(), label, *GetParam(), context);
  context.cancel();
  EXPECT_THROW(nearest_other(blocks, false, context), Cancelled);
  EXPECT_THROW(diameters(blocks, context), Cancelled);
}

TEST(ClassPairs, TooManyClassesForTheMemory) {
  const Data x = uniform_data(100, 1, 12);
  Labels label(100);
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<std::int32_t>(i);
  Context context;
  const ClassBlocks blocks(x.view(), label, *available_micro()[0], context);
  context.memory = 1000;
  EXPECT_THROW(closest_pairs(blocks, false, context), MemoryBudgetError);
}

}  // namespace
}  // namespace flexkern
