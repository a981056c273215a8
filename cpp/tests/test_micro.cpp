#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/device/cpu/micro.h"

namespace flexkern {
namespace {

template <typename T>
Buffer<T> random_buffer(index_t size, std::uint64_t seed) {
  Buffer<T> out(size);
  Rng rng(seed, stream::kData);
  for (index_t i = 0; i < size; ++i) out[i] = static_cast<T>(2 * rng.uniform() - 1);
  return out;
}

template <typename T>
Buffer<T> copy(const Buffer<T>& from) {
  Buffer<T> out(from.size());
  for (index_t i = 0; i < from.size(); ++i) out[i] = from[i];
  return out;
}

class MicroTest : public testing::TestWithParam<const Micro*> {
 protected:
  const Micro& micro() const { return *GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Sets, MicroTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Micro, PlainIsAlwaysThereAndTheBestComesFirst) {
  const auto all = available_micro();
  ASSERT_FALSE(all.empty());
  EXPECT_STREQ(all.back()->name, "plain");
  EXPECT_EQ(&find_micro("auto"), all.front());
  for (const Micro* m : all) EXPECT_EQ(&find_micro(m->name), m);
  EXPECT_THROW(find_micro("mmx"), Error);
}

// One tile against three loops; what lies between the columns of c stays as it was.
template <typename T, typename Gemm>
void check_gemm(Gemm gemm, index_t cols, index_t depth, index_t ldc) {
  const Buffer<T> a = random_buffer<T>(std::max<index_t>(1, kPanel * depth), 1);
  const Buffer<T> b = random_buffer<T>(std::max<index_t>(1, cols * depth), 2);
  const Buffer<T> before = random_buffer<T>(ldc * cols, 3), c = copy(before);
  gemm(depth, a.data(), b.data(), c.data(), ldc);
  const double unit = std::numeric_limits<T>::epsilon() * static_cast<double>(depth + 1);
  for (index_t j = 0; j < cols; ++j)
    for (index_t i = 0; i < ldc; ++i) {
      double sum = before[j * ldc + i], size = std::fabs(sum);
      for (index_t p = 0; p < depth && i < kPanel; ++p) {
        const double term = static_cast<double>(a[p * kPanel + i]) * b[p * cols + j];
        sum += term;
        size += std::fabs(term);
      }
      if (i < kPanel)
        ASSERT_NEAR(c[j * ldc + i], sum, unit * size) << depth << " " << i << " " << j;
      else
        ASSERT_EQ(c[j * ldc + i], before[j * ldc + i]);
    }
}

TEST_P(MicroTest, TransposedProductsAreThoseOfThreeLoops) {
  const index_t stride = 40 * kPanel, ldx = 120, ldc = 20;
  for (const index_t panels : {1, 2, 7})
    for (const index_t pairs : {1, 3, 8})
      for (index_t cols = 1; cols <= kDotCols; ++cols) {
        const Buffer<float> a = random_buffer<float>(panels * stride, 1);
        const Buffer<float> x = random_buffer<float>(ldx * cols, 2);
        const Buffer<float> before = random_buffer<float>(ldc * cols, 3), c = copy(before);
        micro().gemm_transposed(panels, stride, pairs, a.data(), x.data(), ldx, cols, c.data(),
                                ldc);
        for (index_t j = 0; j < cols; ++j)
          for (index_t k = 0; k < ldc; ++k) {
            double sum = before[j * ldc + k];
            for (index_t i = 0; i < panels * kPanel && k < 2 * pairs; ++i)
              sum += static_cast<double>(a[i / kPanel * stride + k * kPanel + i % kPanel]) *
                     x[j * ldx + i];
            ASSERT_NEAR(c[j * ldc + k], sum, 1e-5) << panels << " " << pairs << " " << cols;
          }
      }
}

TEST_P(MicroTest, ProductsOfAllDepthsAreThoseOfThreeLoops) {
  for (const index_t depth : {0, 1, 2, 3, 7, 16, 33, 255, 256, 1000})
    for (const index_t ldc : {16, 17, 40}) {
      check_gemm<float>(micro().gemm_f32, micro().cols_f32, depth, ldc);
      check_gemm<double>(micro().gemm_f64, micro().cols_f64, depth, ldc);
    }
}

TEST_P(MicroTest, ProductsDoNotMixRowsOrColumns) {
  const index_t cols = micro().cols_f32, depth = 2;
  for (index_t i = 0; i < kPanel; ++i)
    for (index_t j = 0; j < cols; ++j) {
      std::vector<float> a(kPanel * depth, 0), b(cols * depth, 0), c(kPanel * cols, 0);
      a[kPanel + i] = 2;
      b[cols + j] = 3;
      micro().gemm_f32(depth, a.data(), b.data(), c.data(), kPanel);
      for (index_t k = 0; k < kPanel * cols; ++k) ASSERT_EQ(c[k], k == j * kPanel + i ? 6 : 0);
    }
}

// The largest relative error over arguments in (low, high).
template <typename T, typename Exp>
double exp_error(Exp exp, double low, double high, double scale) {
  constexpr index_t n = 4096;
  Buffer<T> in = random_buffer<T>(n, 4), out(n);
  for (index_t i = 0; i < n; ++i)
    in[i] = static_cast<T>((low + (in[i] + 1) / 2 * (high - low)) / scale);
  exp(n, static_cast<T>(scale), in.data(), out.data());
  double worst = 0;
  for (index_t i = 0; i < n; ++i) {
    const T argument = static_cast<T>(scale) * in[i];
    const double truth = std::exp(static_cast<double>(argument));
    worst = std::max(worst, std::fabs(out[i] - truth) / truth);
  }
  return worst;
}

TEST_P(MicroTest, ExponentialsAreAccurate) {
  for (const double scale : {-1.0, -0.37, 2.5}) {
    EXPECT_LT(exp_error<float>(micro().exp_f32, -86.9, 0, scale), 2e-7);
    EXPECT_LT(exp_error<float>(micro().exp_f32, -1, 1, scale), 2e-7);
    EXPECT_LT(exp_error<float>(micro().exp_f32, 0, 80, scale), 2e-7);
    EXPECT_LT(exp_error<double>(micro().exp_f64, -707.9, 0, scale), 5e-16);
    EXPECT_LT(exp_error<double>(micro().exp_f64, -1, 1, scale), 5e-16);
    EXPECT_LT(exp_error<double>(micro().exp_f64, 0, 700, scale), 5e-16);
  }
}

// exp(-x) for the given x, repeated to fill a panel.
template <typename T, typename Exp>
T exp_of(Exp exp, T x) {
  std::vector<T> in(kPanel, x), out(kPanel);
  exp(kPanel, T(-1), in.data(), out.data());
  for (const T v : out) EXPECT_EQ(v, out[0]);
  return out[0];
}

TEST_P(MicroTest, ExponentialOfZeroIsOneAndBelowTheLimitItIsZero) {
  EXPECT_EQ(exp_of(micro().exp_f32, 0.0f), 1.0f);
  EXPECT_EQ(exp_of(micro().exp_f64, 0.0), 1.0);
  EXPECT_GT(exp_of(micro().exp_f32, 86.99f), 0.0f);
  EXPECT_GT(exp_of(micro().exp_f64, 707.99), 0.0);
  for (const float x : {87.0f, 87.5f, 100.0f, 1e4f, 1e30f, HUGE_VALF})
    EXPECT_EQ(exp_of(micro().exp_f32, x), 0.0f) << x;
  for (const double x : {708.0, 709.0, 745.0, 1e6, 1e300, HUGE_VAL})
    EXPECT_EQ(exp_of(micro().exp_f64, x), 0.0) << x;
}

TEST_P(MicroTest, ExponentialsMayOverwriteTheirArguments) {
  Buffer<float> x = random_buffer<float>(64, 5), out(64);
  micro().exp_f32(64, -2.0f, x.data(), out.data());
  micro().exp_f32(64, -2.0f, x.data(), x.data());
  for (index_t i = 0; i < 64; ++i) EXPECT_EQ(x[i], out[i]);
}

TEST_P(MicroTest, DistancesComeFromInnerProducts) {
  const Buffer<double> dot = random_buffer<double>(kPanel, 6);
  Buffer<double> norms = random_buffer<double>(kPanel, 7), out(kPanel);
  for (index_t i = 0; i < kPanel; ++i) norms[i] += 4;
  EXPECT_FALSE(micro().distance(dot.data(), norms.data(), 3.0, out.data()));
  for (index_t i = 0; i < kPanel; ++i) EXPECT_NEAR(out[i], norms[i] + 3 - 2 * dot[i], 1e-14) << i;
}

TEST_P(MicroTest, CancellationIsFlaggedAtEveryPlaceAndNeverNegative) {
  for (index_t place = 0; place < kPanel; ++place)
    for (const double excess : {-1e-9, 0.0, 1e-9, 0.9e-6}) {
      std::vector<double> dot(kPanel, 0.0), norms(kPanel, 1.0), out(kPanel);
      dot[place] = 1 - excess;  // the distance is 2 excess, the limit 2e-6
      EXPECT_TRUE(micro().distance(dot.data(), norms.data(), 1.0, out.data()));
      EXPECT_NEAR(out[place], std::max(0.0, 2 * excess), 1e-15);
      EXPECT_GE(out[place], 0.0);
    }
  std::vector<double> dot(kPanel, 1 - 1.1e-6), norms(kPanel, 1.0), out(kPanel);
  EXPECT_FALSE(micro().distance(dot.data(), norms.data(), 1.0, out.data()));
}

TEST_P(MicroTest, DistancesThatAreNotNumbersStaySo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> dot(kPanel, 0.0), norms(kPanel, 1.0), out(kPanel);
  dot[5] = nan;
  norms[9] = HUGE_VAL;
  dot[9] = HUGE_VAL;
  micro().distance(dot.data(), norms.data(), 1.0, out.data());
  for (index_t i = 0; i < kPanel; ++i) EXPECT_EQ(std::isnan(out[i]), i == 5 || i == 9) << i;
}

TEST_P(MicroTest, MaskDotMultipliesAndSums) {
  for (const index_t n : {0, 16, 48, 1600}) {
    const index_t size = std::max<index_t>(n, 1);
    const Buffer<float> s = random_buffer<float>(size, 8), u = random_buffer<float>(size, 9);
    const Buffer<float> q = random_buffer<float>(size, 10);
    Buffer<float> v(size);
    const double dot = micro().mask_dot(n, s.data(), u.data(), q.data(), v.data());
    double sum = 0, total = 0;
    for (index_t i = 0; i < n; ++i) {
      EXPECT_EQ(v[i], s[i] * u[i]);
      sum += static_cast<double>(q[i]) * v[i];
      total += std::fabs(static_cast<double>(q[i]) * v[i]);
    }
    EXPECT_NEAR(dot, sum, 1e-14 * total);
  }
}

TEST_P(MicroTest, OrthogonaliseSubtractsTwoVectors) {
  for (const index_t n : {0, 16, 48, 1600}) {
    const index_t size = std::max<index_t>(n, 1);
    const Buffer<float> q = random_buffer<float>(size, 11), p = random_buffer<float>(size, 12);
    const Buffer<float> before = random_buffer<float>(size, 13), v = copy(before);
    const double norm = micro().orthogonalise(n, 0.7f, q.data(), -1.3f, p.data(), v.data());
    double sum = 0;
    for (index_t i = 0; i < n; ++i) {
      EXPECT_NEAR(v[i], before[i] - 0.7 * q[i] + 1.3 * p[i], 5e-7);
      sum += static_cast<double>(v[i]) * v[i];
    }
    EXPECT_NEAR(norm, sum, 1e-14 * sum);
  }
}

TEST_P(MicroTest, AxpyAddsAMultiple) {
  for (const index_t n : {0, 16, 48, 1600}) {
    const Buffer<float> x = random_buffer<float>(std::max<index_t>(n, 1), 14);
    const Buffer<float> before = random_buffer<float>(std::max<index_t>(n, 1), 15);
    const Buffer<float> y = copy(before);
    micro().axpy(n, -1.7f, x.data(), y.data());
    for (index_t i = 0; i < n; ++i) EXPECT_NEAR(y[i], before[i] - 1.7 * x[i], 3e-7);
  }
}

TEST_P(MicroTest, TransposeSwapsRowsAndColumns) {
  const Buffer<float> in = random_buffer<float>(kPanel * kPanel, 16), out(kPanel * kPanel);
  micro().transpose(in.data(), out.data());
  for (index_t i = 0; i < kPanel; ++i)
    for (index_t j = 0; j < kPanel; ++j) EXPECT_EQ(out[i * kPanel + j], in[j * kPanel + i]);
}

}  // namespace
}  // namespace flexkern
