// A Cholesky factor in the order in which substitutions read it, for many of them with few columns
// each.
#ifndef FLEXKERN_SOLVER_PACKED_FACTOR_H
#define FLEXKERN_SOLVER_PACKED_FACTOR_H

#include "cholesky.h"

namespace flexkern {

class PackedFactor {
 public:
  // Room for a factor of this order, a multiple of 16.
  PackedFactor(index_t order, const Micro& micro, int threads, Context& context);
  index_t order() const { return order_; }
  // Copies the factor that `cholesky` holds.
  void pack(Cholesky& cholesky);
  // b = A^-1 b for `cols` columns, order() apart, zero in the padding.
  void solve(float* b, index_t cols) const;

 private:
  void copy(Cholesky& cholesky, index_t p);
  void invert(Cholesky& cholesky, index_t p);
  void substitute(float* b, index_t cols, float* packed, int threads) const;
  void forward(index_t first, index_t last, float* b, index_t cols, float* packed,
               int threads) const;
  void backward(index_t first, index_t last, float* b, index_t cols, float* packed,
                int threads) const;
  void multiply_inverse(index_t p, bool transposed, float* rows, index_t cols) const;
  void subtract(const float* panel, index_t depth, const float* packed, index_t first, index_t cols,
                float* b) const;
  void append(index_t first, const float* b, index_t cols, float* packed) const;
  // Panel p holds 16 rows of -L left of the diagonal block, then those of -L' right of it.
  float* before(index_t p) const { return before_.data() + p * (p - 1) / 2 * kSquare; }
  float* after(index_t p) const {
    const index_t rest = panels_ - 1 - p;
    return after_.data() + rest * (rest - 1) / 2 * kSquare;
  }

  static constexpr index_t kSquare = kPanel * kPanel;
  index_t order_, panels_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  Buffer<float> before_, after_, inverses_;
};

}  // namespace flexkern

#endif
