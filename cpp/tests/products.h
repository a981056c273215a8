// Products with a Gram matrix in the shapes of Eigen.
#ifndef FLEXKERN_TESTS_PRODUCTS_H
#define FLEXKERN_TESTS_PRODUCTS_H

#include <algorithm>

#include "naive.h"

namespace flexkern {

// A block of vectors of n values, padded by zeros.
inline Buffer<float> block(const GramMatrix& gram, const MatrixXd& columns) {
  Buffer<float> out(gram.stride() * columns.cols());
  std::fill_n(out.data(), out.size(), 0.0f);
  for (index_t c = 0; c < columns.cols(); ++c)
    for (index_t i = 0; i < columns.rows(); ++i)
      out[c * gram.stride() + i] = static_cast<float>(columns(i, c));
  return out;
}

inline MatrixXd product(GramMatrix& gram, const MatrixXd& columns) {
  const Buffer<float> in = block(gram, columns);
  Buffer<float> out(in.size());
  gram.multiply(in.data(), columns.cols(), out.data());
  MatrixXd result(columns.rows(), columns.cols());
  for (index_t c = 0; c < columns.cols(); ++c)
    for (index_t i = 0; i < columns.rows(); ++i) result(i, c) = out[c * gram.stride() + i];
  return result;
}

// The matrix itself: its product with the identity.
inline MatrixXd entries(GramMatrix& gram, index_t n) {
  return product(gram, MatrixXd::Identity(n, n));
}

// Single-precision values, so that their rounding is no matter.
inline MatrixXd random_block(index_t n, index_t cols, std::uint64_t seed) {
  return to_eigen(uniform_data(n, cols, seed).view()).cast<float>().cast<double>();
}

}  // namespace flexkern

#endif
