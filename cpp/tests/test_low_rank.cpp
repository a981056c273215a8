#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "core/device/cpu/pairwise.h"
#include "core/solver/fold_grams.h"
#include "core/solver/inner_system.h"
#include "core/solver/low_rank_risk.h"
#include "core/solver/low_rank_systems.h"
#include "naive.h"

namespace flexkern {
namespace {

MatrixXd to_matrix(const PivotedCholesky& factor, index_t n) {
  MatrixXd l(n, factor.rank());
  for (index_t i = 0; i < n; ++i)
    for (index_t j = 0; j < factor.rank(); ++j)
      l(i, j) = factor.panel(i / kPanel)[j * kPanel + i % kPanel];
  return l;
}

class LowRankTest : public testing::TestWithParam<const Micro*> {
 protected:
  std::unique_ptr<Device> device_ = device_for(*GetParam());
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, LowRankTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(LowRankTest, WhatIsLeftIsPositiveAndItsTraceIsKnown) {
  for (const index_t n : {40, 150, 163})
    for (const double gamma : {0.05, 1.0, 20.0}) {
      const Data x = uniform_data(n, 3, 1);
      const MatrixXd gram = naive_gram(radial(gamma), x.view(), x.view());
      const PivotedCholesky factor(x.view(), radial(gamma), *device_, {n / 2, 1e-3}, 1, context_);
      const MatrixXd l = to_matrix(factor, n), left = gram - l * l.transpose();
      EXPECT_LE(factor.rank(), n / 2);
      EXPECT_TRUE(factor.rank() == n / 2 || factor.left() <= 1e-3) << n << " " << gamma;
      EXPECT_NEAR(factor.left(), left.trace(), 1e-9);
      EXPECT_GT(left.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-9);
    }
}

TEST_P(LowRankTest, AsManyColumnsAsDirections) {
  Data x = uniform_data(90, 2, 2);
  for (index_t i = 0; i < 90; ++i)
    for (index_t k = 0; k < 2; ++k) x(i, k) = x(i % 7, k);
  const PivotedCholesky points(x.view(), radial(1), *device_, {40, 0}, 1, context_);
  EXPECT_EQ(points.rank(), 7);
  EXPECT_NEAR(points.left(), 0, 1e-9);
  const Data y = uniform_data(90, 3, 3);
  const PivotedCholesky lines(y.view(), linear(), *device_, {40, 0}, 1, context_);
  EXPECT_EQ(lines.rank(), 3);
}

TEST_P(LowRankTest, NarrowKernelsAreGivenUpEarly) {
  const Data x = uniform_data(600, 3, 3);
  const RankLimits limits{300, 1e-3, 1};
  const PivotedCholesky narrow(x.view(), radial(500), *device_, limits, 1, context_);
  EXPECT_LT(narrow.rank(), 150);
  EXPECT_GT(narrow.left(), 300);
  const PivotedCholesky wide(x.view(), radial(0.1), *device_, limits, 1, context_);
  EXPECT_LE(wide.left(), 1e-3);
}

TEST_P(LowRankTest, GramsOfTheFolds) {
  const index_t n = 300;
  const Data x = uniform_data(n, 2, 4);
  const PivotedCholesky factor(x.view(), radial(2), *device_, {50, 0}, 1, context_);
  const MatrixXd l = to_matrix(factor, n);
  Validation all[] = {deal(n, 3), deal(n, 3), whole(n)};
  all[0].weights = exact_weights(n, 5);
  for (index_t i = 0; i < n; i += 4) all[1].fold[at(i)] = -1;
  for (const Validation& v : all) {
    const FoldPlan plan = v.plan(round_up(n, kPanel));
    const auto grams = fold_grams(plan, factor, *GetParam(), 2, context_);
    for (int f = 0; f < v.folds; ++f) {
      const MatrixXd truth = l.transpose() * v.training_weights(f).asDiagonal() * l;
      for (index_t j = 0; j < l.cols(); ++j)
        for (index_t i = j; i < l.cols(); ++i)
          ASSERT_NEAR(grams[at(f)][j * l.cols() + i], truth(i, j), 1e-10);
    }
  }
}

TEST_P(LowRankTest, InnerSystemsReachDoublePrecision) {
  const index_t n = 60;
  const MatrixXd root = to_eigen(uniform_data(n, n, 6).view());
  VectorXd scale(n);
  for (index_t i = 0; i < n; ++i) scale[i] = std::pow(10.0, -0.07 * static_cast<double>(i));
  const MatrixXd a = scale.asDiagonal() * (root * root.transpose()) * scale.asDiagonal();
  const double shift = 1e-4;
  Buffer<double> gram(n * n);
  std::copy_n(a.data(), n * n, gram.data());
  Cholesky factor(n, *GetParam(), 1, context_);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i) factor.column(j)[i] = static_cast<float>(a(i, j));
  ASSERT_TRUE(factor.factor(shift));
  const std::vector<double> b(at(n), 1.0);
  std::vector<double> w(at(n), 0.0);
  ASSERT_TRUE(InnerSystem(gram, shift, factor, context_).solve(b, w));
  const VectorXd residual = VectorXd::Ones(n) - a * to_eigen(w, n) - shift * to_eigen(w, n);
  EXPECT_LT(residual.norm(), 1e-9 * std::sqrt(static_cast<double>(n)));
}

struct Setting {
  Data x, y;
  Validation validation;
};

Setting setting(index_t n, index_t d, index_t responses) {
  const Data x = uniform_data(n, d, 7);
  return {x, waves(x, responses, 0.2, 8), deal(n, 3)};
}

TEST_P(LowRankTest, SystemsHaveTheRisksOfExactSolutions) {
  Setting s = setting(400, 2, 2);
  s.validation.weights = exact_weights(400, 9);
  const Clip clip{-1, 1};
  for (const double gamma : {0.1, 1.0, 10.0})
    for (const index_t rank : {60, 200})
      for (const double lambda : {1e-3, 1e-5}) {
        const Kernel kernel = radial(gamma);
        const auto gram = device_->gram(s.x.view(), kernel, 1, context_);
        gram->set_gamma(gamma);
        const FoldPlan plan = s.validation.plan(gram->stride());
        LowRank low_rank(plan, s.x.view(), kernel, *device_, {rank, 1e-9}, 1, context_);
        LowRankSystems systems(plan, s.y.view(), *gram, *GetParam(), low_rank, lambda, 1, context_);
        ASSERT_TRUE(systems.solve(300)) << gamma << " " << rank << " " << lambda;
        const MatrixXd k = naive_gram(kernel, s.x.view(), s.x.view());
        const double truth = naive_risk(k, to_eigen(s.y.view()), s.validation, lambda, clip);
        EXPECT_NEAR(systems.risk(clip), truth, 1e-3 * truth) << gamma << " " << rank;
      }
}

// Where single precision has lost the penalty, the low-rank factor has not.
TEST_P(LowRankTest, WideKernelsAndTinyPenalties) {
  const Setting s = setting(400, 2, 1);
  const Kernel kernel = radial(0.02);
  const auto gram = device_->gram(s.x.view(), kernel, 1, context_);
  gram->set_gamma(kernel.gamma);
  const FoldPlan plan = s.validation.plan(gram->stride());
  LowRank low_rank(plan, s.x.view(), kernel, *device_, {100, 1e-12}, 1, context_);
  const double lambda = 1e-9;
  LowRankSystems systems(plan, s.y.view(), *gram, *GetParam(), low_rank, lambda, 1, context_);
  ASSERT_TRUE(systems.solve(1));
  const MatrixXd k = naive_gram(kernel, s.x.view(), s.x.view());
  const Clip clip{-1, 1};
  const double truth = naive_risk(k, to_eigen(s.y.view()), s.validation, lambda, clip);
  EXPECT_NEAR(systems.risk(clip), truth, 1e-4 * truth);
}

class LowRankRiskTest : public LowRankTest {
 protected:
  double risk(const Setting& s, double gamma, double lambda, int threads) {
    const Kernel kernel = radial(1);
    const auto gram = device_->gram(s.x.view(), kernel, threads, context_);
    const FoldPlan plan = s.validation.plan(gram->stride());
    const SearchOptions options;
    const Points x(s.x.view());
    const SearchTask task{plan,     s.y.view(), x,       kernel,   *gram,
                          *device_, threads,    options, context_, {}};
    return LowRankRisk(task)(gamma, lambda);
  }
};

INSTANTIATE_TEST_SUITE_P(Sets, LowRankRiskTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(LowRankRiskTest, AgreesWithExactSolutionsOrLeavesThePairToOthers) {
  if (slow_run()) GTEST_SKIP();
  const Setting s = setting(900, 3, 1);
  const double small = 1e-3 / 600;
  const MatrixXd y = to_eigen(s.y.view());
  for (const double gamma : {0.05, 0.5}) {
    const MatrixXd k = naive_gram(radial(gamma), s.x.view(), s.x.view());
    const double truth = naive_risk(k, y, s.validation, small, Clip{-1, 1});
    EXPECT_NEAR(risk(s, gamma, small, 1), truth, 2e-3 * truth) << gamma;
  }
  EXPECT_TRUE(std::isnan(risk(s, 1e4, small, 1)));
  EXPECT_TRUE(std::isnan(risk(setting(120, 3, 1), 0.05, 1e-4, 1)));
}

TEST_P(LowRankRiskTest, ThreadsGiveTheSameBits) {
  const Setting s = setting(510, 3, 2);
  const double one = risk(s, 0.3, 1e-5, 1);
  EXPECT_FALSE(std::isnan(one));
  for (const int threads : {2, 4}) EXPECT_EQ(risk(s, 0.3, 1e-5, threads), one);
}

}  // namespace
}  // namespace flexkern
