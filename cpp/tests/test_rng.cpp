#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/base/rng.h"

namespace flexkern {
namespace {

TEST(Rng, GivesTheSameNumbersOnEveryMachine) {
  Rng rng(42, 7);
  EXPECT_EQ(rng.bits(), 12357841210115988171u);
  EXPECT_EQ(rng.bits(), 9359041991706648089u);
  EXPECT_EQ(rng.bits(), 9055804992619353073u);
}

TEST(Rng, ItemsAndSeedsHaveStreamsOfTheirOwn) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (std::uint64_t item = 0; item < 20; ++item) {
      Rng rng(seed, item);
      for (int k = 0; k < 20; ++k) seen.insert(rng.bits());
    }
  EXPECT_EQ(seen.size(), 20u * 20u * 20u);
}

TEST(Rng, UniformHasTheMomentsOfTheUniformDistribution) {
  Rng rng(1, 0);
  const int n = 100000;
  double sum = 0, squares = 0, smallest = 1, largest = 0;
  for (int k = 0; k < n; ++k) {
    const double u = rng.uniform();
    sum += u;
    squares += u * u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
  EXPECT_GE(smallest, 0.0);
  EXPECT_LT(largest, 1.0);
}

TEST(Rng, BelowIsUniform) {
  Rng rng(3, 0);
  std::vector<int> count(7, 0);
  for (int k = 0; k < 70000; ++k) ++count[rng.below(7)];
  for (const int c : count) EXPECT_NEAR(c, 10000, 500);
  EXPECT_EQ(rng.below(1), 0u);
}

TEST(Rng, ShuffleIsAPermutationAndHasNoFavourites) {
  std::vector<int> first(5, 0);
  for (std::uint64_t item = 0; item < 5000; ++item) {
    std::vector<int> v{0, 1, 2, 3, 4};
    Rng(9, item).shuffle(v);
    ++first[v[0]];
    std::sort(v.begin(), v.end());
    ASSERT_EQ(v, (std::vector<int>{0, 1, 2, 3, 4}));
  }
  for (const int c : first) EXPECT_NEAR(c, 1000, 150);
}

}  // namespace
}  // namespace flexkern
