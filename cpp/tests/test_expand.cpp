#include <gtest/gtest.h>

#include <algorithm>

#include "naive.h"

namespace flexkern {
namespace {

class ExpandTest : public testing::TestWithParam<const Micro*> {
 protected:
  MatrixXd expand(ConstMatrixRef x, ConstMatrixRef centers, const Kernel& kernel,
                  ConstMatrixRef coef, int threads = 1) {
    MatrixXd out = MatrixXd::Constant(x.rows(), coef.cols(), -9);
    device_for(*GetParam())
        ->expand(x, centers, kernel, coef, {out.data(), x.rows(), coef.cols()}, threads, context_);
    return out;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, ExpandTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

Data chosen_rows(const Data& x, const std::vector<index_t>& rows) {
  Data out(static_cast<index_t>(rows.size()), x.cols);
  for (index_t k = 0; k < x.cols; ++k)
    for (index_t i = 0; i < out.rows; ++i) out(i, k) = x(rows[at(i)], k);
  return out;
}

TEST_P(ExpandTest, IsTheSumOverCenters) {
  for (const index_t n : {1, 16, 17, 70})
    for (const index_t centers : {1, 2, 95, 96, 97, 250})
      for (const index_t d : {1, 3, 54}) {
        const Data x = uniform_data(n, d, 1), c = uniform_data(centers, d, 2);
        const Data coef = uniform_data(centers, 4, 3);
        const double gamma = 1.0 / static_cast<double>(d);
        for (const Kernel& kernel :
             {radial(gamma), polynomial(gamma, 3, 0.5), linear(), with_constant(radial(gamma), 1),
              with_constant(polynomial(gamma, 2, 0), 2.5), with_constant(linear(), 0.5)}) {
          const MatrixXd gram = naive_gram(kernel, x.view(), c.view()), a = to_eigen(coef.view());
          const double scale = max_abs(gram.cwiseAbs() * a.cwiseAbs());
          const MatrixXd values = expand(x.view(), c.view(), kernel, coef.view());
          ASSERT_LT(max_abs(values - gram * a), 1e-13 * scale) << n << " " << centers << " " << d;
        }
      }
}

TEST_P(ExpandTest, AnyNumberOfColumns) {
  const Data x = uniform_data(33, 2, 4), c = uniform_data(130, 2, 5);
  const MatrixXd gram = naive_gram(radial(3), x.view(), c.view());
  for (index_t cols = 1; cols <= 10; ++cols) {
    const Data coef = uniform_data(130, cols, 6);
    const MatrixXd values = expand(x.view(), c.view(), radial(3), coef.view());
    EXPECT_LT(max_abs(values - gram * to_eigen(coef.view())), 1e-12) << cols;
  }
}

TEST_P(ExpandTest, NarrowKernelsAndFarPointsAreAccurate) {
  for (const double offset : {0.0, 1e3, 1e6}) {
    Data x = uniform_data(40, 3, 7), c = uniform_data(60, 3, 8);
    for (double& v : x.values) v += offset;
    for (double& v : c.values) v += offset;
    c(3, 0) = x(5, 0), c(3, 1) = x(5, 1), c(3, 2) = x(5, 2);
    for (const double gamma : {0.01, 1.0, 1e4}) {
      const Data coef = uniform_data(60, 2, 9);
      const MatrixXd truth = naive_gram(radial(gamma), x.view(), c.view()) * to_eigen(coef.view());
      const MatrixXd values = expand(x.view(), c.view(), radial(gamma), coef.view());
      EXPECT_LT(max_abs(values - truth), offset > 0 ? 1e-8 : 1e-12) << offset << " " << gamma;
    }
  }
}

TEST_P(ExpandTest, ARowsValueIsTheSameWhateverRowsComeWithIt) {
  const Data x = uniform_data(150, 3, 10), c = uniform_data(210, 3, 11);
  const Data coef = uniform_data(210, 5, 12);
  const MatrixXd all = expand(x.view(), c.view(), radial(2), coef.view());
  Rng rng(13, 0);
  for (const index_t count : {1, 2, 15, 16, 17, 100, 150}) {
    std::vector<index_t> rows(at(count));
    for (index_t& r : rows) r = static_cast<index_t>(rng.below(150));
    const Data part = chosen_rows(x, rows);
    const MatrixXd values = expand(part.view(), c.view(), radial(2), coef.view());
    for (index_t i = 0; i < count; ++i) ASSERT_EQ(values.row(i), all.row(rows[at(i)])) << count;
  }
}

TEST_P(ExpandTest, ThreadsGiveTheSameBits) {
  const Data x = uniform_data(333, 3, 14), c = uniform_data(100, 3, 15);
  const Data coef = uniform_data(100, 2, 16);
  const MatrixXd one = expand(x.view(), c.view(), radial(2), coef.view(), 1);
  EXPECT_EQ(expand(x.view(), c.view(), radial(2), coef.view(), 2), one);
  EXPECT_EQ(expand(x.view(), c.view(), radial(2), coef.view(), 4), one);
}

TEST_P(ExpandTest, ReadsPartsOfLargerMatrices) {
  const Data x = uniform_data(80, 3, 17), coef = uniform_data(80, 2, 18);
  const auto part = [](const Data& m) {
    return ConstMatrixRef(m.values.data() + 10, 50, m.cols, m.rows);
  };
  const MatrixXd gram = naive_gram(radial(2), part(x), part(x));
  const MatrixXd values = expand(part(x), part(x), radial(2), part(coef));
  EXPECT_LT(max_abs(values - gram * to_eigen(part(coef))), 1e-12);
}

TEST_P(ExpandTest, NoCentersGiveZeroAndNoRowsNothing) {
  const Data x = uniform_data(20, 2, 19), none(0, 2);
  const MatrixXd zero = expand(x.view(), none.view(), radial(1), Data(0, 3).view());
  EXPECT_EQ(zero, MatrixXd::Zero(20, 3));
  EXPECT_EQ(expand(none.view(), x.view(), radial(1), x.view()).rows(), 0);
}

}  // namespace
}  // namespace flexkern
