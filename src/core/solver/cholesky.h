// Blocked Cholesky factorisation in single precision on the micro-kernels of the tile engine.
#ifndef FLEXKERN_SOLVER_CHOLESKY_H
#define FLEXKERN_SOLVER_CHOLESKY_H

#include "core/base/context.h"
#include "core/device/cpu/micro.h"

namespace flexkern {

// A symmetric positive definite matrix, in columns of the lower triangle, and then its factor. The
// order is rounded up to whole panels of 16; the padding is a unit diagonal.
class Cholesky {
 public:
  Cholesky(index_t n, const Micro& micro, int threads, Context& context);
  index_t order() const { return order_; }
  float* column(index_t j) { return a_.data() + j * order_; }
  // Adds shift to the diagonal and factors in place; false if a pivot is not positive.
  bool factor(double shift);
  // b = A^-1 b for `cols` columns, order() apart, zero in the padding.
  void solve(float* b, index_t cols) const;

 private:
  bool factor_diagonal(index_t k, index_t width);
  void invert_diagonal(index_t k, index_t width);
  void scale_below(index_t k, index_t width);
  void update_trailing(index_t k, index_t width);
  const float* inverse(index_t k) const { return inverses_.data() + k * kBlock; }
  void eliminate_below(index_t k, index_t width, float* b, index_t cols) const;
  void eliminate_above(index_t k, index_t width, float* b, index_t cols) const;
  void multiply_inverse(index_t k, index_t width, bool transposed, float* b, index_t cols) const;

  static constexpr index_t kBlock = 128;
  index_t n_, order_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  Buffer<float> a_, inverses_, panels_, groups_;
};

}  // namespace flexkern

#endif
