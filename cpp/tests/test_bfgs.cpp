// The direction of L-BFGS on a quadratic function, where it is Newton's.
#include <gtest/gtest.h>

#include "core/solver/bfgs.h"

namespace flexkern {
namespace {

TEST(Bfgs, KnowsTheCurvatureAlongItsSteps) {
  const std::vector<double> curvature = {4, 0.5, 9};
  Bfgs bfgs;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> step(3, 0.0), change(3, 0.0);
    step[i] = 0.3;
    change[i] = 0.3 * curvature[i];
    bfgs.add(step, change);
  }
  const std::vector<double> gradient = {1, -2, 3}, found = bfgs.direction(gradient);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], -gradient[i] / curvature[i], 1e-12);
}

TEST(Bfgs, LeavesOutStepsWithoutCurvature) {
  Bfgs bfgs;
  bfgs.add({1, 0}, {-1, 0});
  bfgs.add({1, 0}, {0, 1});
  EXPECT_TRUE(bfgs.empty());
  bfgs.add({1, 0}, {2, 0});
  EXPECT_FALSE(bfgs.empty());
  EXPECT_LT(dot(bfgs.direction({1, 1}), {1, 1}), 0);
}

// Without the first step, the curvature of the last stands in for its direction.
TEST(Bfgs, ForgetsTheOldest) {
  Bfgs bfgs;
  bfgs.add({0, 1}, {0, 9});
  EXPECT_NEAR(bfgs.direction({0, 1})[1], -1.0 / 9, 1e-12);
  for (int i = 0; i < 10; ++i) bfgs.add({1, 0}, {2, 0});
  EXPECT_NEAR(bfgs.direction({0, 1})[1], -0.5, 1e-12);
}

}  // namespace
}  // namespace flexkern
