#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "products.h"

namespace flexkern {
namespace {

class GramTest : public testing::TestWithParam<const Micro*> {
 protected:
  const Micro& micro() const { return *GetParam(); }
  std::unique_ptr<GramMatrix> gram(const Data& x, const Kernel& kernel, int threads = 1) {
    auto out = device_for(micro())->gram(x.view(), kernel, threads, context_);
    out->set_gamma(kernel.gamma);
    return out;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, GramTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(GramTest, EntriesAreKernelValuesOfAnyNumberOfPoints) {
  for (const index_t n : {1, 15, 16, 17, 100, 333})
    for (const index_t d : {1, 3, 54}) {
      const Data x = uniform_data(n, d, 1);
      const double gamma = 1.0 / static_cast<double>(d);
      for (const Kernel& kernel :
           {radial(gamma), radial(30), polynomial(gamma, 3, 1), linear(),
            with_constant(radial(30), 1), with_constant(polynomial(gamma, 2, 0), 2.5),
            with_constant(linear(), 0.5)}) {
        const MatrixXd truth = naive_gram(kernel, x.view(), x.view());
        const MatrixXd values = entries(*gram(x, kernel), n);
        EXPECT_LT(max_abs(values - truth), 4e-7 * std::max(1.0, max_abs(truth))) << n << " " << d;
      }
    }
}

// With few columns only the lower triangle is read.
TEST_P(GramTest, ProductsFromHalfOfTheMatrix) {
  if (slow_run()) GTEST_SKIP();
  for (const index_t n : {1500, 1795}) {
    const Data x = uniform_data(n, 3, 7);
    const Kernel kernel = radial(2);
    const MatrixXd in = random_block(n, 10, 8);
    const MatrixXd truth = naive_gram(kernel, x.view(), x.view()) * in;
    const auto one = gram(x, kernel), two = gram(x, kernel, 2);
    for (const index_t cols : {1, 4, 5, 7, 10}) {
      const MatrixXd out = product(*one, in.leftCols(cols));
      EXPECT_LT(max_abs(out - truth.leftCols(cols)), 1e-6 * static_cast<double>(n)) << n << cols;
      EXPECT_EQ(product(*two, in.leftCols(cols)), out);
      EXPECT_EQ(product(*one, in.leftCols(1)), out.col(0));
    }
  }
}

TEST_P(GramTest, ANewGammaReplacesTheOldOne) {
  const Data x = uniform_data(50, 2, 2);
  auto k = gram(x, radial(100));
  for (const double gamma : {0.01, 1.0, 25.0}) {
    k->set_gamma(gamma);
    const MatrixXd truth = naive_gram(radial(gamma), x.view(), x.view());
    EXPECT_LT(max_abs(entries(*k, 50) - truth), 4e-7);
  }
}

TEST_P(GramTest, IsSymmetricToTheBit) {
  const Data x = uniform_data(77, 5, 3);
  for (const Kernel& kernel : {radial(0.8), polynomial(1, 2, 0.5), linear()}) {
    const MatrixXd values = entries(*gram(x, kernel), 77);
    EXPECT_EQ(values, values.transpose());
  }
}

TEST_P(GramTest, EqualPointsHaveKernelValueOne) {
  for (const double offset : {0.0, 1e3, 1e7}) {
    Data x = grid_data(90, 3, 2, 4);
    for (double& v : x.values) v = 0.1 * v + offset;
    const MatrixXd values = entries(*gram(x, radial(1e4)), 90);
    for (index_t i = 0; i < 90; ++i)
      for (index_t j = 0; j < 90; ++j) {
        const bool same = naive_kernel(radial(1), x.view(), i, x.view(), j) == 1;
        ASSERT_EQ(values(i, j) == 1, same) << i << " " << j << " " << offset;
      }
  }
}

TEST_P(GramTest, PointsFarFromTheOriginLoseNothing) {
  for (const double offset : {30.0, 1e3, 1e5, 1e6}) {
    Data x = uniform_data(60, 3, 5);
    for (double& v : x.values) v += offset;
    for (const double gamma : {0.1, 10.0}) {
      const MatrixXd truth = naive_gram(radial(gamma), x.view(), x.view());
      EXPECT_LT(max_abs(entries(*gram(x, radial(gamma)), 60) - truth), 4e-7) << offset;
    }
  }
}

TEST_P(GramTest, ProductsWithOneToThirteenColumns) {
  for (const index_t n : {1, 17, 100, 600}) {
    const Data x = uniform_data(n, 3, 6);
    auto k = gram(x, radial(1.5));
    const MatrixXd truth = naive_gram(radial(1.5), x.view(), x.view());
    for (index_t cols = 1; cols <= 13; ++cols) {
      const MatrixXd in = random_block(n, cols, 7);
      const MatrixXd error = product(*k, in) - truth * in;
      EXPECT_LT(max_abs(error), 1e-6 * max_abs(truth.cwiseAbs() * in.cwiseAbs()))
          << n << " " << cols;
    }
  }
}

TEST_P(GramTest, AColumnsProductIsTheSameWhateverComesWithIt) {
  const Data x = uniform_data(300, 4, 8);
  auto k = gram(x, radial(0.7));
  const MatrixXd in = random_block(300, 13, 9), all = product(*k, in);
  for (index_t cols = 1; cols < 13; ++cols)
    EXPECT_EQ(product(*k, in.rightCols(cols)), all.rightCols(cols));
}

TEST_P(GramTest, TwoThreadsGiveTheSameBits) {
  for (const index_t n : {17, 333, 600}) {
    const Data x = uniform_data(n, 3, 10);
    const MatrixXd in = random_block(n, 11, 11);
    const MatrixXd one = product(*gram(x, radial(2), 1), in);
    EXPECT_EQ(product(*gram(x, radial(2), 2), in), one);
    EXPECT_EQ(product(*gram(x, radial(2), 4), in), one);
  }
}

TEST_P(GramTest, SubmatricesHoldTheSameEntries) {
  const Data x = uniform_data(333, 3, 12);
  for (const int threads : {1, 2}) {
    auto k = gram(x, radial(1.1), threads);
    const MatrixXd all = entries(*k, 333);
    std::vector<index_t> rows;
    for (index_t i = 0; i < 333; ++i)
      if (i % 3) rows.push_back(i);
    const index_t count = static_cast<index_t>(rows.size()), stride = count + 5;
    std::vector<float> out(at(stride * count), -7.0f);
    k->submatrix(rows, out.data(), stride);
    for (index_t j = 0; j < count; ++j)
      for (index_t i = 0; i < stride; ++i) {
        const bool filled = i >= j && i < count;
        const double truth = filled ? all(rows[at(i)], rows[at(j)]) : -7.0;
        ASSERT_EQ(out[at(j * stride + i)], truth) << i << " " << j;
      }
  }
}

TEST_P(GramTest, ValuesThatAreNotFiniteAreAnError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, HUGE_VAL, -HUGE_VAL, 1e200})
    for (const Kernel& kernel : {radial(1), linear(), polynomial(1, 2, 0)})
      for (const index_t n : {1, 17, 40})
        for (const index_t row : {index_t{0}, n / 2, n - 1}) {
          Data x = uniform_data(n, 2, 13);
          x(row, 1) = bad;
          EXPECT_THROW(gram(x, kernel), Error) << bad << " " << row << " " << n;
        }
}

TEST_P(GramTest, BytesAreThoseOfTwoSingleMatrices) {
  const auto device = device_for(micro());
  EXPECT_EQ(device->gram_bytes(16), 2 * 4 * 16 * 16);
  EXPECT_EQ(device->gram_bytes(17), 2 * 4 * 32 * 17);
}

TEST(Device, IsFoundByName) {
  EXPECT_STREQ(make_device("cpu", "plain")->name(), "plain");
  EXPECT_STREQ(make_device("auto", "auto")->name(), available_micro().front()->name);
  EXPECT_THROW(make_device("cuda", "auto"), Error);
  EXPECT_THROW(make_device("cpu", "avx1024"), Error);
}

}  // namespace
}  // namespace flexkern
