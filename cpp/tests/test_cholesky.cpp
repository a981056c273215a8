#include <gtest/gtest.h>

#include "core/solver/cholesky.h"
#include "naive.h"

namespace flexkern {
namespace {

// B B' / n + I / 2, in single precision.
MatrixXd positive_definite(index_t n, std::uint64_t seed) {
  const MatrixXd b = to_eigen(uniform_data(n, n, seed).view());
  MatrixXd a = b * b.transpose() / static_cast<double>(n);
  a.diagonal().array() += 0.5;
  return a.cast<float>().cast<double>();
}

class CholeskyTest : public testing::TestWithParam<const Micro*> {
 protected:
  Cholesky load(const MatrixXd& a, int threads = 1) {
    Cholesky out(a.rows(), *GetParam(), threads, context_);
    for (index_t j = 0; j < a.rows(); ++j)
      for (index_t i = j; i < a.rows(); ++i) out.column(j)[i] = static_cast<float>(a(i, j));
    return out;
  }
  static MatrixXd solve(const Cholesky& cholesky, const MatrixXd& b) {
    MatrixXd out(b.rows(), b.cols());
    Buffer<float> work(cholesky.order() * b.cols());
    std::fill_n(work.data(), work.size(), 0.0f);
    for (index_t c = 0; c < b.cols(); ++c)
      for (index_t i = 0; i < b.rows(); ++i)
        work[c * cholesky.order() + i] = static_cast<float>(b(i, c));
    cholesky.solve(work.data(), b.cols());
    for (index_t c = 0; c < b.cols(); ++c)
      for (index_t i = 0; i < b.rows(); ++i) out(i, c) = work[c * cholesky.order() + i];
    return out;
  }
  void check(index_t n, index_t cols, double shift) {
    const MatrixXd a = positive_definite(n, 1), b = to_eigen(uniform_data(n, cols, 2).view());
    Cholesky cholesky = load(a);
    ASSERT_TRUE(cholesky.factor(shift));
    const MatrixXd shifted = a + shift * MatrixXd::Identity(n, n);
    const MatrixXd factor = shifted.llt().matrixL(), truth = shifted.llt().solve(b);
    double worst = 0;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i)
        worst = std::max(worst, std::fabs(cholesky.column(j)[i] - factor(i, j)));
    EXPECT_LT(worst, 3e-6 * max_abs(factor)) << n;
    EXPECT_LT(max_abs(solve(cholesky, b) - truth), 1e-5 * max_abs(truth)) << n << " " << cols;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, CholeskyTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(CholeskyTest, SmallOrders) {
  for (index_t n = 1; n <= 50; ++n) check(n, 1 + n % 8, 0.3);
}

TEST_P(CholeskyTest, OrdersAroundPanelsBlocksAndStrips) {
  for (const index_t n : {63,  64,  65,  96,  97,  127, 128, 129, 143, 144,
                          145, 192, 224, 225, 255, 256, 257, 299, 300, 385})
    check(n, 1 + n % 9, 0.01);
}

TEST_P(CholeskyTest, AnyNumberOfRightHandSides) {
  for (index_t cols = 1; cols <= 14; ++cols) check(150, cols, 0);
}

TEST_P(CholeskyTest, ThreadsGiveTheSameBits) {
  for (const index_t n : {40, 200, 300}) {
    const MatrixXd a = positive_definite(n, 3), b = to_eigen(uniform_data(n, 5, 4).view());
    MatrixXd one;
    for (const int threads : {1, 2, 4}) {
      Cholesky cholesky = load(a, threads);
      ASSERT_TRUE(cholesky.factor(0.1));
      const MatrixXd x = solve(cholesky, b);
      if (threads == 1) one = x;
      EXPECT_EQ(x, one) << n << " " << threads;
    }
  }
}

TEST_P(CholeskyTest, ANegativeDirectionAnywhereIsFound) {
  const index_t n = 300;
  const MatrixXd good = positive_definite(n, 5);
  for (const index_t place : {0, 1, 127, 128, 200, 299}) {
    MatrixXd a = good;
    a(place, place) = -0.1;
    Cholesky cholesky = load(a);
    EXPECT_FALSE(cholesky.factor(0)) << place;
    Cholesky rescued = load(a);
    EXPECT_TRUE(rescued.factor(1000)) << place;
  }
}

TEST_P(CholeskyTest, ANegativePivotThatOnlyEliminationShowsIsFound) {
  const index_t n = 200;
  MatrixXd a = MatrixXd::Identity(n, n);
  a(150, 20) = a(20, 150) = 1.01;
  Cholesky cholesky = load(a);
  EXPECT_FALSE(cholesky.factor(0));
}

TEST_P(CholeskyTest, WhatIsNotANumberIsNotPositive) {
  MatrixXd a = positive_definite(150, 6);
  a(140, 3) = std::nan("");
  Cholesky cholesky = load(a);
  EXPECT_FALSE(cholesky.factor(0));
}

}  // namespace
}  // namespace flexkern
