#include <gtest/gtest.h>

#include "core/solver/dense.h"
#include "naive.h"

namespace flexkern {
namespace {

const std::vector<double> kGammas = {0.1, 1, 20}, kLambdas = {0.1, 1e-3, 1e-6};

struct Setting {
  Data x, y;
  Validation validation;
};

Setting setting(index_t n, index_t d, index_t responses) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, 0.4, 2), deal(n, 3)};
}

class DenseTest : public testing::TestWithParam<const Micro*> {
 protected:
  Surface search(const Setting& s, const Kernel& kernel) {
    Surface surface(kGammas, kLambdas);
    search_dense(s.validation.plan(s.x.rows), s.y.view(), s.x.view(), kernel,
                 *device_for(*GetParam()), options_, context_, surface);
    return surface;
  }
  void check_search(const Setting& s, const Kernel& kernel) {
    const Surface surface = search(s, kernel);
    for (std::size_t g = 0; g < kGammas.size(); ++g) {
      const MatrixXd gram = naive_gram(kernel.with_gamma(kGammas[g]), s.x.view(), s.x.view());
      for (std::size_t l = 0; l < kLambdas.size(); ++l) {
        const double truth =
            naive_risk(gram, to_eigen(s.y.view()), s.validation, kLambdas[l], options_.clip);
        EXPECT_NEAR(surface.risk[surface.at(g, l)], truth, 1e-8 * truth) << g << " " << l;
        EXPECT_TRUE(surface.settled[surface.at(g, l)]);
      }
    }
  }
  Solution solve(const Setting& s, const Kernel& kernel, double lambda) {
    return solve_dense(s.validation.plan(s.x.rows), s.y.view(), s.x.view(), kernel,
                       *device_for(*GetParam()), lambda, 1e-6, context_);
  }
  Context context_;
  SearchOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Sets, DenseTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(DenseTest, RisksAreThoseOfNaiveSolutions) {
  for (const index_t n : {3, 10, 50, 64})
    for (const index_t d : {1, 4}) check_search(setting(n, d, 2), radial(1));
  check_search(setting(40, 3, 1), polynomial(1, 2, 1));
}

TEST_P(DenseTest, RisksWithWeightsSomeOfThemZeroAndAnotherClip) {
  Setting s = setting(60, 2, 3);
  s.validation.weights = exact_weights(60, 3);
  options_.clip = {-0.2, 0.6};
  check_search(s, radial(1));
}

TEST_P(DenseTest, SolutionsAreNaiveSolutions) {
  for (const index_t n : {1, 2, 3, 40, 64}) {
    Setting s = setting(n, 2, 2);
    s.validation = n < 3 ? whole(n) : deal(n, 3);
    const MatrixXd gram = naive_gram(radial(2), s.x.view(), s.x.view());
    const MatrixXd truth = naive_coefs(gram, to_eigen(s.y.view()), s.validation, 1e-3);
    const Solution solution = solve(s, radial(2), 1e-3);
    EXPECT_TRUE(solution.converged);
    EXPECT_LT(max_abs(to_eigen(solution.coef, n) - truth), 1e-9 * max_abs(truth));
    EXPECT_LT(max_abs(to_eigen(solution.decision, n) - gram * truth), 1e-9);
  }
}

TEST_P(DenseTest, DuplicatesNearlyWithoutPenaltyGiveTheMeanOfTheirResponses) {
  Setting s{Data(20, 1), Data(20, 1), whole(20)};
  for (index_t i = 0; i < 20; ++i) {
    s.x(i, 0) = static_cast<double>(i % 4);
    s.y(i, 0) = static_cast<double>(i % 3) - 1;
  }
  const Solution solution = solve(s, radial(3), 1e-10);
  for (index_t i = 0; i < 20; ++i) {
    double mean = 0;
    for (index_t j = i % 4; j < 20; j += 4) mean += s.y(j, 0) / 5;
    EXPECT_NEAR(solution.decision[at(i)], mean, 1e-5);
  }
}

TEST_P(DenseTest, AFoldThatNothingTrainsPredictsZero) {
  Setting s = setting(12, 1, 1);
  for (std::size_t i = 0; i < 12; ++i) {
    s.validation.fold[i] = i < 6 ? 0 : 1;
    s.validation.weights[i] = i < 6 ? 1 : 0;
  }
  s.validation.folds = 2;
  const Solution solution = solve(s, radial(1), 1e-3);
  const MatrixXd coef = to_eigen(solution.coef, 12);
  EXPECT_EQ(max_abs(coef.col(0)), 0);
  EXPECT_GT(max_abs(coef.col(1)), 0);
}

}  // namespace
}  // namespace flexkern
