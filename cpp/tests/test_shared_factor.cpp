#include <gtest/gtest.h>

#include "core/solver/factor_risk.h"
#include "core/solver/packed_factor.h"
#include "naive.h"

namespace flexkern {
namespace {

const Clip kClip{-1, 1};

class PackedFactorTest : public testing::TestWithParam<const Micro*> {
 protected:
  // A system with a dominant diagonal, solved by the factor and by its packed form.
  void check(index_t n, index_t cols, int threads) {
    Cholesky cholesky(n, *GetParam(), threads, context_);
    const Data values = uniform_data(n, n, 1), b = uniform_data(n, cols, 2);
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i)
        cholesky.column(j)[i] = static_cast<float>(values(i, j) + (i == j ? 2.0 * n : 0.0));
    ASSERT_TRUE(cholesky.factor(0.5));
    const index_t order = cholesky.order();
    Buffer<float> one(order * cols), other(order * cols);
    for (Buffer<float>* out : {&one, &other}) {
      std::fill_n(out->data(), out->size(), 0.0f);
      for (index_t c = 0; c < cols; ++c)
        for (index_t i = 0; i < n; ++i) (*out)[c * order + i] = static_cast<float>(b(i, c));
    }
    PackedFactor packed(order, *GetParam(), threads, context_);
    packed.pack(cholesky);
    cholesky.solve(one.data(), cols);
    packed.solve(other.data(), cols);
    const float scale = 1 / static_cast<float>(n);
    for (index_t i = 0; i < one.size(); ++i)
      ASSERT_NEAR(one[i], other[i], 2e-6 * scale) << n << " " << cols << " " << i;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, PackedFactorTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(PackedFactorTest, SolvesWhatTheFactorSolves) {
  for (const index_t n : {1, 15, 16, 17, 33, 128, 130, 300}) check(n, 1 + n % 7, 1);
  check(290, 30, 1);
  check(290, 31, 3);
}

struct Setting {
  Data x, y;
  Validation validation;
  Kernel kernel;
};

Setting setting(index_t n, index_t d, index_t responses, double gamma, int folds) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, 0.3, 2), deal(n, folds), radial(gamma)};
}

class SharedFactorTest : public testing::TestWithParam<const Micro*> {
 protected:
  // Risks of several pairs in a row are those of exact solutions, up to this share.
  void check(const Setting& s, bool together, double share = 3e-4) {
    auto gram = device_for(*GetParam())->gram(s.x.view(), s.kernel, 1, context_);
    gram->set_gamma(s.kernel.gamma);
    const FoldPlan plan = s.validation.plan(gram->stride());
    EXPECT_EQ(factor_groups(plan, s.y.cols, 10).size() == 1, together);
    FactorRisk risk(plan, s.y.view(), kClip, *gram, *GetParam(), 1, context_, 1e-5);
    const MatrixXd exact = naive_gram(s.kernel, s.x.view(), s.x.view());
    for (const double lambda : {1e-1, 1e-4, 1e-2, 1e-3}) {
      const double truth = naive_risk(exact, to_eigen(s.y.view()), s.validation, lambda, kClip);
      EXPECT_NEAR(risk(lambda), truth, share * truth) << lambda;
    }
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, SharedFactorTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(SharedFactorTest, RisksAreThoseOfExactSolutions) {
  for (const double gamma : {0.1, 2.0, 50.0}) check(setting(300, 2, 1, gamma, 5), true);
  check(setting(400, 3, 2, 2.0, 10), true);
}

TEST_P(SharedFactorTest, FewFoldsHaveTheirOwnFactors) {
  check(setting(300, 2, 1, 2.0, 2), false);
  check(setting(200, 2, 6, 2.0, 5), false);
}

TEST_P(SharedFactorTest, WeightsSomeOfThemZero) {
  Setting s = setting(400, 3, 1, 1.0, 5);
  s.validation.weights = exact_weights(400, 3);
  check(s, true, 1e-3);  // folds differ in their rows of positive weight, and so do their shifts
}

TEST_P(SharedFactorTest, RowsThatAreNeverHeldOut) {
  Setting s = setting(400, 2, 1, 2.0, 5);
  for (index_t i = 0; i < 400; i += 3) s.validation.fold[at(i)] = -1;
  check(s, true);
}

TEST_P(SharedFactorTest, ThreadsGiveTheSameBits) {
  const Setting s = setting(slow_run() ? 300 : 700, 3, 4, 2.0, 5);
  double one = 0;
  for (const int threads : {1, 2, 4}) {
    auto gram = device_for(*GetParam())->gram(s.x.view(), s.kernel, threads, context_);
    gram->set_gamma(s.kernel.gamma);
    const FoldPlan plan = s.validation.plan(gram->stride());
    FactorRisk risk(plan, s.y.view(), kClip, *gram, *GetParam(), threads, context_, 1e-3);
    risk(1e-2);
    const double now = risk(1e-3);
    if (threads == 1) one = now;
    EXPECT_EQ(now, one) << threads;
  }
}

}  // namespace
}  // namespace flexkern
