#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "products.h"
#include "sparse_data.h"

namespace flexkern {
namespace {

// Numbers of points around whole panels, blocks and rows of blocks.
constexpr index_t kSizes[] = {1, 15, 17, 383, 384, 385, 800, 1155};

class CompactGramTest : public testing::TestWithParam<const Micro*> {
 protected:
  std::unique_ptr<Device> device() const { return device_for(*GetParam()); }
  std::unique_ptr<GramMatrix> compact(const Data& x, const Kernel& kernel, double share = 1,
                                      int threads = 1) {
    const double bytes = share * device()->compact_gram_bytes(x.rows);
    auto out = device()->compact_gram(x.view(), kernel, bytes, threads, context_);
    out->set_gamma(kernel.gamma);
    return out;
  }
  std::unique_ptr<GramMatrix> full(const Data& x, const Kernel& kernel) {
    auto out = device()->gram(x.view(), kernel, 1, context_);
    out->set_gamma(kernel.gamma);
    return out;
  }
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Sets, CompactGramTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(CompactGramTest, EntriesAreThoseOfTheFullMatrixToTheBit) {
  for (const index_t n : {1, 17, 400, 800})
    for (const Kernel& kernel :
         {radial(0.7), radial(30), polynomial(0.5, 3, 1), linear(), with_constant(radial(30), 1),
          with_constant(polynomial(0.5, 2, 0), 2.5)}) {
      const Data x = uniform_data(n, 5, 1);
      const MatrixXd truth = entries(*full(x, kernel), n);
      for (const double share : {1.0, 0.6, 0.0})
        ASSERT_EQ(entries(*compact(x, kernel, share), n), truth) << n << " " << share;
    }
}

TEST_P(CompactGramTest, ProductsAreThoseOfTheFullMatrix) {
  for (const index_t n : kSizes) {
    const Data x = uniform_data(n, 3, 2);
    const MatrixXd truth = naive_gram(radial(1.5), x.view(), x.view());
    const auto whole = full(x, radial(1.5)), half = compact(x, radial(1.5));
    for (const index_t cols : {1, 2, 5, 6, 13}) {
      const MatrixXd in = random_block(n, cols, 3), out = product(*half, in);
      const double scale = max_abs(truth.cwiseAbs() * in.cwiseAbs());
      EXPECT_LT(max_abs(out - truth * in), 1e-6 * scale) << n << " " << cols;
      EXPECT_LT(max_abs(out - product(*whole, in)), 1e-6 * scale) << n << " " << cols;
    }
  }
}

TEST_P(CompactGramTest, HeldOrComputedAgainIsTheSameToTheBit) {
  for (const index_t n : kSizes) {
    const Data x = uniform_data(n, 3, 4);
    const MatrixXd in = random_block(n, 5, 5);
    const auto all = compact(x, radial(2));
    for (const double share : {0.0, 0.4, 0.8}) {
      const auto part = compact(x, radial(2), share, 2);
      for (const double gamma : {0.1, 7.0}) {
        all->set_gamma(gamma);
        part->set_gamma(gamma);
        EXPECT_EQ(product(*part, in), product(*all, in)) << n << " " << share << " " << gamma;
      }
    }
  }
}

TEST_P(CompactGramTest, ThreadsChangeNoBit) {
  for (const index_t n : kSizes) {
    const Data x = uniform_data(n, 4, 6);
    const MatrixXd in = random_block(n, 7, 7);
    const MatrixXd one = product(*compact(x, radial(2)), in);
    for (const int threads : {2, 5})
      EXPECT_EQ(product(*compact(x, radial(2), 0.5, threads), in), one) << n;
  }
}

TEST_P(CompactGramTest, SparsePointsMultiplyAsDenseOnes) {
  const Data x = thinned(uniform_data(500, 30, 12), 0.2, 13);
  const SparseData sparse(x, true);
  const MatrixXd in = random_block(500, 3, 14), truth = product(*compact(x, radial(0.5)), in);
  for (const double bytes : {0.0, 1e9}) {
    const auto k = device()->compact_gram(sparse.ref(), radial(0.5), bytes, 2, context_);
    k->set_gamma(0.5);
    EXPECT_LT(max_abs(product(*k, in) - truth), 1e-6 * max_abs(truth));
  }
}

TEST_P(CompactGramTest, AColumnsProductIsTheSameWhateverComesWithIt) {
  const Data x = uniform_data(500, 4, 8);
  const auto k = compact(x, radial(0.7));
  const MatrixXd in = random_block(500, 13, 9), all = product(*k, in);
  for (index_t cols = 1; cols < 13; ++cols)
    EXPECT_EQ(product(*k, in.rightCols(cols)), all.rightCols(cols));
}

TEST_P(CompactGramTest, SubmatricesHoldTheSameEntries) {
  const Data x = uniform_data(800, 3, 10);
  std::vector<index_t> rows;
  for (index_t i = 0; i < 800; ++i)
    if (i % 3) rows.push_back(i);
  const index_t count = static_cast<index_t>(rows.size()), stride = count + 5;
  std::vector<float> truth(at(stride * count), -7.0f);
  full(x, radial(1.1))->submatrix(rows, truth.data(), stride);
  for (const double share : {1.0, 0.6, 0.0}) {
    std::vector<float> out(at(stride * count), -7.0f);
    compact(x, radial(1.1), share, 2)->submatrix(rows, out.data(), stride);
    EXPECT_EQ(out, truth) << share;
  }
}

TEST_P(CompactGramTest, ValuesThatAreNotFiniteAreAnError) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, HUGE_VAL, 1e200})
    for (const double share : {1.0, 0.0}) {
      Data x = uniform_data(400, 2, 11);
      x(399, 1) = bad;
      EXPECT_THROW(entries(*compact(x, radial(1), share), 400), Error) << bad << " " << share;
    }
}

TEST_P(CompactGramTest, TakesHalfOfOneSingleMatrix) {
  const double n = 40000, full = 4 * n * n, half = device()->compact_gram_bytes(40000);
  EXPECT_GT(half, 0.5 * full);
  EXPECT_LT(half, 0.51 * full);
}

}  // namespace
}  // namespace flexkern
