#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/base/rng.h"
#include "core/model/folds.h"

namespace flexkern {
namespace {

std::vector<int> sizes(const std::vector<int>& fold, int folds) {
  std::vector<int> size(folds, 0);
  for (const int f : fold) ++size.at(f);
  return size;
}

int spread(const std::vector<int>& v) {
  return *std::max_element(v.begin(), v.end()) - *std::min_element(v.begin(), v.end());
}

TEST(Folds, SizesDifferByAtMostOneOverallAndInEveryStratum) {
  Rng rng(1, 0);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 5 + static_cast<int>(rng.below(60)), k = 2 + static_cast<int>(rng.below(9));
    std::vector<int> strata(n);
    for (int& s : strata) s = static_cast<int>(rng.below(4)) * 7 - 3;
    const std::vector<int> fold = fold_assignment(strata, k, trial, 2);
    ASSERT_EQ(fold.size(), strata.size());
    EXPECT_LE(spread(sizes(fold, k)), 1);
    std::map<int, std::vector<int>> by_stratum;
    for (int i = 0; i < n; ++i) by_stratum[strata[i]].push_back(fold[i]);
    for (const auto& s : by_stratum) EXPECT_LE(spread(sizes(s.second, k)), 1);
  }
}

TEST(Folds, MoreFoldsThanRowsLeaveEachRowAlone) {
  std::vector<int> fold = fold_assignment({2, 1, 2}, 10, 5, 0);
  std::sort(fold.begin(), fold.end());
  EXPECT_EQ(fold, (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(fold_assignment({}, 5, 1, 0).empty());
}

TEST(Folds, SmallStrataDoNotPileUpInTheFirstFold) {
  const std::vector<int> fold = fold_assignment({1, 2, 3, 4, 5}, 5, 1, 0);
  EXPECT_EQ(sizes(fold, 5), (std::vector<int>{1, 1, 1, 1, 1}));
}

TEST(Folds, DependOnSeedAndItemOnly) {
  const std::vector<int> strata(100, 1);
  const auto fold = fold_assignment(strata, 5, 1, 0);
  EXPECT_EQ(fold, fold_assignment(strata, 5, 1, 0));
  EXPECT_NE(fold, fold_assignment(strata, 5, 2, 0));
  EXPECT_NE(fold, fold_assignment(strata, 5, 1, 1));
}

TEST(Sample, TakesEveryStratumsShareInRisingOrder) {
  Rng rng(3, 0);
  std::vector<int> strata(1000);
  for (int& s : strata)
    s = static_cast<int>(rng.below(10) < 2) + 2 * static_cast<int>(rng.below(2));
  const std::vector<double> weights(1000, 1.0);
  const auto sample = stratified_sample(strata, weights, 300, 7, 1);
  ASSERT_EQ(sample.size(), 300u);
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
  EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
  for (int s = 0; s < 4; ++s) {
    const auto all = std::count(strata.begin(), strata.end(), s);
    const auto drawn = std::count_if(sample.begin(), sample.end(),
                                     [&](index_t i) { return strata[std::size_t(i)] == s; });
    EXPECT_NEAR(static_cast<double>(drawn), 0.3 * static_cast<double>(all), 1.0) << s;
  }
  EXPECT_EQ(stratified_sample(strata, weights, 300, 7, 1), sample);
  EXPECT_NE(stratified_sample(strata, weights, 300, 8, 1), sample);
  EXPECT_NE(stratified_sample(strata, weights, 300, 7, 2), sample);
}

TEST(Sample, LeavesOutRowsOfWeightZero) {
  const std::vector<int> strata(6, 0);
  const std::vector<double> weights = {1, 0, 2, 1, 0, 1};
  EXPECT_EQ(stratified_sample(strata, weights, 9, 1, 0), (std::vector<index_t>{0, 2, 3, 5}));
  for (const index_t i : stratified_sample(strata, weights, 2, 1, 0))
    EXPECT_GT(weights[static_cast<std::size_t>(i)], 0);
}

}  // namespace
}  // namespace flexkern
