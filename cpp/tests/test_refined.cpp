#include <gtest/gtest.h>

#include "core/solver/refined.h"
#include "naive.h"

namespace flexkern {
namespace {

struct Setting {
  Data x, y;
  Validation validation;
  Kernel kernel;
};

Setting setting(index_t n, index_t d, index_t responses, double gamma) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, 0.4, 2), deal(n, 3), radial(gamma)};
}

SolveOptions how(double lambda, double tol, bool direct) {
  SolveOptions options;
  options.lambda = lambda;
  options.tol = tol;
  options.direct = direct;
  return options;
}

class RefinedTest : public testing::TestWithParam<const Micro*> {
 protected:
  Solution solve(const Setting& s, const SolveOptions& options, int threads = 1) {
    Context context;
    const auto device = device_for(*GetParam());
    const auto gram = device->gram(s.x.view(), s.kernel, threads, context);
    gram->set_gamma(s.kernel.gamma);
    const FoldPlan plan = s.validation.plan(gram->stride());
    return solve_refined(plan, s.y.view(), s.x.view(), s.kernel, *gram, *device, threads, options,
                         context);
  }
};

INSTANTIATE_TEST_SUITE_P(Sets, RefinedTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

// The largest |S (y - K a) - shift S^-1 a| / |S y| of the systems.
double naive_residual(const Setting& s, const Solution& solution, double lambda) {
  const index_t n = s.x.rows, count = s.y.cols;
  const MatrixXd y = to_eigen(s.y.view()), a = to_eigen(solution.coef, n);
  const MatrixXd decision = naive_gram(s.kernel, s.x.view(), s.x.view()) * a;
  double worst = 0;
  for (index_t c = 0; c < a.cols(); ++c) {
    const VectorXd w = s.validation.training_weights(static_cast<int>(c / count));
    const double shift = lambda * w.sum();
    double rr = 0, bb = 0;
    for (index_t i = 0; i < n; ++i) {
      if (!(w[i] > 0)) {
        EXPECT_EQ(a(i, c), 0);
        continue;
      }
      const double root = std::sqrt(w[i]), target = y(i, c % count);
      rr += std::pow(root * (target - decision(i, c)) - shift * a(i, c) / root, 2);
      bb += w[i] * target * target;
    }
    worst = std::max(worst, std::sqrt(rr / bb));
  }
  return worst;
}

// Largest difference of decision values from those of exact solutions.
double decision_error(const Setting& s, const Solution& solution, double lambda) {
  const MatrixXd gram = naive_gram(s.kernel, s.x.view(), s.x.view());
  const MatrixXd truth = gram * naive_coefs(gram, to_eigen(s.y.view()), s.validation, lambda);
  return max_abs(to_eigen(solution.decision, s.x.rows) - truth);
}

TEST_P(RefinedTest, TheToleranceIsReached) {
  for (const double gamma : {0.05, 1.0, 40.0})
    for (const double lambda : {1e-2, 1e-4})
      for (const double tol : {1e-3, 1e-6, 1e-10})
        for (const bool direct : {false, true}) {
          const Setting s = setting(120, 2, 2, gamma);
          const Solution solution = solve(s, how(lambda, tol, direct));
          EXPECT_TRUE(solution.converged) << gamma << " " << lambda << " " << tol << " " << direct;
          EXPECT_LE(solution.residual, tol);
          EXPECT_NEAR(naive_residual(s, solution, lambda), solution.residual, 0.01 * tol + 1e-13);
        }
}

TEST_P(RefinedTest, DecisionValuesAreThoseOfExactSolutions) {
  for (const double gamma : {0.05, 1.0, 40.0})
    for (const double lambda : {1e-1, 1e-3, 1e-5})
      for (const bool direct : {false, true}) {
        const Setting s = setting(120, 2, 2, gamma);
        EXPECT_LT(decision_error(s, solve(s, how(lambda, 1e-10, direct)), lambda), 1e-8);
        EXPECT_LT(decision_error(s, solve(s, how(lambda, 1e-6, direct)), lambda), 1e-5);
      }
}

TEST_P(RefinedTest, IllConditionedSystems) {
  Setting s = setting(200, 2, 1, 0.01);
  for (index_t i = 0; i < 60; ++i)
    for (index_t k = 0; k < 2; ++k) s.x(199 - i, k) = s.x(i, k);
  const double lambda = 1e-3 / 200;
  for (const double tol : {1e-6, 1e-10}) {
    const Solution solution = solve(s, how(lambda, tol, true));
    EXPECT_TRUE(solution.converged) << tol;
    EXPECT_LT(decision_error(s, solution, lambda), tol < 1e-8 ? 1e-8 : 1e-5);
  }
}

TEST_P(RefinedTest, PolynomialAndLinearKernels) {
  for (const Kernel& kernel : {polynomial(0.5, 3, 1), linear()}) {
    Setting s = setting(100, 3, 2, 1);
    s.kernel = kernel;
    const Solution solution = solve(s, how(1e-3, 1e-10, true));
    EXPECT_TRUE(solution.converged);
    EXPECT_LT(decision_error(s, solution, 1e-3), 1e-8);
  }
}

TEST_P(RefinedTest, WeightsSomeOfThemZero) {
  Setting s = setting(130, 2, 2, 1);
  s.validation.weights = exact_weights(130, 3);
  const Solution solution = solve(s, how(1e-3, 1e-10, true));
  EXPECT_TRUE(solution.converged);
  EXPECT_LT(decision_error(s, solution, 1e-3), 1e-8);
  EXPECT_NEAR(naive_residual(s, solution, 1e-3), solution.residual, 1e-12);
}

TEST_P(RefinedTest, WeightsThatSinglePrecisionRounds) {
  Setting s = setting(100, 2, 1, 1);
  Rng rng(4, 0);
  for (double& w : s.validation.weights) w = 0.1 + 3 * rng.uniform();
  EXPECT_LT(decision_error(s, solve(s, how(1e-3, 1e-10, true)), 1e-3), 1e-6);
}

TEST_P(RefinedTest, OneModelOnFourRows) {
  Setting s{Data(4, 1), Data(4, 1), whole(4), radial(1 / 0.16)};
  s.x.values = {0, 0.2, 0.5, 1};
  s.y.values = {-1, 0.3, 0.8, -0.5};
  const double alpha[] = {-2.571280928, 2.08064943, 0.26149404, -0.5653430886};
  for (const bool direct : {false, true}) {
    const Solution solution = solve(s, how(0.01, 1e-12, direct));
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(solution.coef[i], alpha[i], 2e-9);
  }
}

Setting many_rows(double gamma) {
  Setting s = setting(510, 2, 2, gamma);
  s.validation.weights = exact_weights(510, 5);
  return s;
}

TEST_P(RefinedTest, ManyRowsWithSmallPenalties) {
  for (const double gamma : {0.2, 3.0}) {
    const Setting s = many_rows(gamma);
    const Solution solution = solve(s, how(1e-3 / 510, 1e-8, true));
    EXPECT_TRUE(solution.converged) << gamma;
    EXPECT_LT(decision_error(s, solution, 1e-3 / 510), 1e-6) << gamma;
  }
}

// From 500 rows on, gradients that take long are preconditioned.
TEST_P(RefinedTest, PreconditionedGradients) {
  const Setting s = setting(510, 2, 2, 0.2);
  const Solution solution = solve(s, how(1e-2 / 510, 1e-8, false));
  EXPECT_TRUE(solution.converged);
  EXPECT_LT(solution.iterations, 100);
  EXPECT_LT(decision_error(s, solution, 1e-2 / 510), 1e-6);
}

TEST_P(RefinedTest, PreconditionedGradientsWithSmallPenalties) {
  for (const double gamma : {0.2, 3.0}) {
    const Setting s = many_rows(gamma);
    const Solution solution = solve(s, how(1e-3 / 510, 1e-8, false));
    EXPECT_TRUE(solution.converged) << gamma;
    EXPECT_LT(decision_error(s, solution, 1e-3 / 510), 1e-6) << gamma;
  }
}

TEST_P(RefinedTest, HopelessPenaltiesGiveNumbersAndAnHonestResidual) {
  for (const index_t n : {100, 510})
    for (const double lambda : {1e-10, 1e-14}) {
      const Setting s = setting(n, 2, 1, 0.2);
      const Solution solution = solve(s, how(lambda, 1e-6, true));
      for (const double v : solution.decision) ASSERT_TRUE(std::isfinite(v));
      EXPECT_NEAR(naive_residual(s, solution, lambda), solution.residual, 1e-6);
      EXPECT_EQ(solution.converged, solution.residual <= 1e-6);
    }
}

TEST_P(RefinedTest, ABoundOnTheStepsThatBitesIsReported) {
  const Setting s = setting(150, 2, 2, 30);
  for (const bool direct : {false, true}) {
    SolveOptions options = how(1e-5, 1e-8, direct);
    options.max_iter = 1;
    const Solution solution = solve(s, options);
    EXPECT_LE(solution.iterations, 1);
    EXPECT_FALSE(solution.converged);
    EXPECT_GT(solution.residual, 1e-8);
    EXPECT_NEAR(naive_residual(s, solution, 1e-5), solution.residual, 1e-9);
  }
}

TEST_P(RefinedTest, ResponsesOfZerosHaveTheZeroSolution) {
  Setting s = setting(80, 2, 2, 1);
  for (index_t i = 0; i < 80; ++i) s.y(i, 0) = 0;
  const Solution solution = solve(s, how(1e-3, 1e-8, true));
  EXPECT_TRUE(solution.converged);
  const MatrixXd coef = to_eigen(solution.coef, 80);
  for (const index_t c : {0, 2, 4}) EXPECT_EQ(max_abs(coef.col(c)), 0);
  EXPECT_LT(decision_error(s, solution, 1e-3), 1e-6);
}

TEST_P(RefinedTest, ThreadsGiveTheSameBits) {
  const Setting s = setting(slow_run() ? 100 : 400, 3, 3, 4);
  const Solution one = solve(s, how(1e-4, 1e-8, true), 1);
  for (const int threads : {2, 4}) {
    const Solution many = solve(s, how(1e-4, 1e-8, true), threads);
    EXPECT_EQ(many.coef, one.coef);
    EXPECT_EQ(many.decision, one.decision);
  }
}

}  // namespace
}  // namespace flexkern
