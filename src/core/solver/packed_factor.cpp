#include "packed_factor.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/device/cpu/update.h"

namespace flexkern {
namespace {

// Rows that one pass over a panel covers: their part of the panel stays in the first-level cache,
// and partial sums keep the rounding error of single precision small.
constexpr index_t kDepth = 256;
// Columns from which on threads share them. With fewer, they share the panels of a block, as far as
// these depend on other blocks.
constexpr index_t kShare = 24;
constexpr index_t kBlockPanels = 8;
// Smaller factors are done before another thread is awake.
constexpr index_t kSharedOrder = 1024;

// out = D in, or D' in, for a 16 x 16 matrix D in columns.
void multiply_square(const float* d, bool transposed, const float* in, float* out) {
  for (index_t i = 0; i < kPanel; ++i) {
    float sum = 0;
    if (transposed)
      for (index_t j = i; j < kPanel; ++j) sum += d[i * kPanel + j] * in[j];
    else
      for (index_t j = 0; j <= i; ++j) sum += d[j * kPanel + i] * in[j];
    out[i] = sum;
  }
}

}  // namespace

PackedFactor::PackedFactor(index_t order, const Micro& micro, int threads, Context& context)
    : order_(order),
      panels_(order_ / kPanel),
      micro_(micro),
      threads_(threads),
      context_(context),
      before_(panels_ * (panels_ - 1) / 2 * kSquare),
      after_(before_.size()),
      inverses_(panels_ * kSquare) {}

void PackedFactor::pack(Cholesky& cholesky) {
  parallel_for(panels_, threads_, context_, [&](index_t p, int) {
    copy(cholesky, p);
    invert(cholesky, p);
  });
}

// The block column p of L, to the panels of all rows below it and to its own panel of -L'.
void PackedFactor::copy(Cholesky& cholesky, index_t p) {
  float* own = after(p);
  for (index_t q = p + 1; q < panels_; ++q) {
    float* rows = before(q) + p * kSquare;
    float* transposed = own + (q - p - 1) * kSquare;
    for (index_t j = 0; j < kPanel; ++j) {
      const float* column = cholesky.column(p * kPanel + j) + q * kPanel;
      for (index_t i = 0; i < kPanel; ++i) {
        rows[j * kPanel + i] = -column[i];
        transposed[i * kPanel + j] = -column[i];
      }
    }
  }
}

void PackedFactor::invert(Cholesky& cholesky, index_t p) {
  float* out = inverses_.data() + p * kSquare;
  std::fill_n(out, kSquare, 0.0f);
  for (index_t c = 0; c < kPanel; ++c) {
    float* x = out + c * kPanel;
    x[c] = 1;
    for (index_t j = c; j < kPanel; ++j) {
      const float* l = cholesky.column(p * kPanel + j) + p * kPanel;
      x[j] /= l[j];
      for (index_t i = j + 1; i < kPanel; ++i) x[i] -= x[j] * l[i];
    }
  }
}

void PackedFactor::solve(float* b, index_t cols) const {
  const index_t width = micro_.cols_f32;
  if (cols < kShare) {
    Buffer<float> packed(round_up(cols, width) * order_);
    return substitute(b, cols, packed.data(), order_ < kSharedOrder ? 1 : threads_);
  }
  const index_t share = threads_ > 1 ? round_up(cols / threads_, width) : cols;
  parallel_for((cols + share - 1) / share, threads_, context_, [&](index_t item, int) {
    const index_t first = item * share, count = std::min(share, cols - first);
    Buffer<float> packed(round_up(count, width) * order_);
    substitute(b + first * order_, count, packed.data(), 1);
  });
}

void PackedFactor::substitute(float* b, index_t cols, float* packed, int threads) const {
  for (index_t first = 0; first < panels_; first += kBlockPanels)
    forward(first, std::min(first + kBlockPanels, panels_), b, cols, packed, threads);
  for (index_t first = (panels_ - 1) / kBlockPanels * kBlockPanels; first >= 0;
       first -= kBlockPanels)
    backward(first, std::min(first + kBlockPanels, panels_), b, cols, packed, threads);
}

// Row panel p of b -= panel * packed rows from `first` on.
void PackedFactor::subtract(const float* panel, index_t depth, const float* packed, index_t first,
                            index_t cols, float* b) const {
  const index_t width = micro_.cols_f32;
  for (index_t k = 0; k < depth; k += kDepth)
    update_panel(micro_, std::min(kDepth, depth - k), panel + k * kPanel,
                 packed + (first + k) * width, order_ * width, cols, b, order_);
}

void PackedFactor::append(index_t first, const float* b, index_t cols, float* packed) const {
  pack_columns(b, order_, cols, micro_.cols_f32, first, first + kPanel, order_, packed);
}

// The block of panels [first, last).
void PackedFactor::forward(index_t first, index_t last, float* b, index_t cols, float* packed,
                           int threads) const {
  const auto rows = [&](index_t p) { return b + p * kPanel; };
  parallel_for(first > 0 ? last - first : 0, threads, context_, [&](index_t i, int) {
    subtract(before(first + i), first * kPanel, packed, 0, cols, rows(first + i));
  });
  for (index_t p = first; p < last; ++p) {
    if (p > first)
      subtract(before(p) + first * kSquare, (p - first) * kPanel, packed, first * kPanel, cols,
               rows(p));
    multiply_inverse(p, false, rows(p), cols);
    append(p * kPanel, b, cols, packed);
  }
}

void PackedFactor::backward(index_t first, index_t last, float* b, index_t cols, float* packed,
                            int threads) const {
  const auto rows = [&](index_t p) { return b + p * kPanel; };
  // The panels of -L' below row `from`.
  const auto subtract_below = [&](index_t p, index_t from, index_t to) {
    if (from < to)
      subtract(after(p) + (from - p - 1) * kSquare, (to - from) * kPanel, packed, from * kPanel,
               cols, rows(p));
  };
  parallel_for(last < panels_ ? last - first : 0, threads, context_,
               [&](index_t i, int) { subtract_below(first + i, last, panels_); });
  for (index_t p = last - 1; p >= first; --p) {
    subtract_below(p, p + 1, last);
    multiply_inverse(p, true, rows(p), cols);
    append(p * kPanel, b, cols, packed);
  }
}

// Rows of b times the inverse of the diagonal square p, or its transpose.
void PackedFactor::multiply_inverse(index_t p, bool transposed, float* rows, index_t cols) const {
  float before[kPanel];
  for (index_t c = 0; c < cols; ++c) {
    std::copy_n(rows + c * order_, kPanel, before);
    multiply_square(inverses_.data() + p * kSquare, transposed, before, rows + c * order_);
  }
}

}  // namespace flexkern
