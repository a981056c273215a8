#include "cholesky.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/device/cpu/update.h"

namespace flexkern {
namespace {

// Columns [k, k + width) of rows [first, first + 16) as a packed panel.
void pack_rows(const float* a, index_t ld, index_t first, index_t k, index_t width, float* out) {
  for (index_t j = 0; j < width; ++j)
    std::copy_n(a + (k + j) * ld + first, kPanel, out + j * kPanel);
}

}  // namespace

Cholesky::Cholesky(index_t n, const Micro& micro, int threads, Context& context)
    : n_(n),
      order_(round_up(n, kPanel)),
      micro_(micro),
      threads_(threads),
      context_(context),
      a_(order_ * order_),
      inverses_(round_up(order_, kBlock) * kBlock),
      panels_(order_ * kBlock),
      groups_(round_up(order_, micro.cols_f32) * kBlock) {
  for (index_t j = 0; j < order_; ++j)
    for (index_t i = std::max(j, n); i < order_; ++i) column(j)[i] = i == j ? 1.0f : 0.0f;
}

// Right-looking: factor a block column, then subtract its outer product from what is left.
bool Cholesky::factor(double shift) {
  for (index_t j = 0; j < n_; ++j) column(j)[j] += static_cast<float>(shift);
  for (index_t k = 0; k < order_; k += kBlock) {
    const index_t width = std::min(kBlock, order_ - k);
    context_.check();
    if (!factor_diagonal(k, width)) return false;
    invert_diagonal(k, width);
    if (k + width == order_) break;
    scale_below(k, width);
    update_trailing(k, width);
  }
  return true;
}

bool Cholesky::factor_diagonal(index_t k, index_t width) {
  const index_t end = k + width;
  for (index_t j = k; j < end; ++j) {
    float* target = column(j);
    // Whole panels are updated; what lies above the diagonal is not used.
    const index_t first = j / kPanel * kPanel;
    for (index_t p = k; p < j; ++p)
      micro_.axpy(end - first, -column(p)[j], column(p) + first, target + first);
    if (!(target[j] > 0)) return false;
    const float scale = 1 / std::sqrt(target[j]);
    for (index_t i = j; i < end; ++i) target[i] *= scale;
  }
  return true;
}

// The inverse of the block's lower triangle, by columns.
void Cholesky::invert_diagonal(index_t k, index_t width) {
  float* out = inverses_.data() + k * kBlock;
  std::fill_n(out, kBlock * width, 0.0f);
  for (index_t c = 0; c < width; ++c) {
    float* x = out + c * kBlock;
    x[c] = 1;
    for (index_t j = c; j < width; ++j) {
      const float* l = column(k + j) + k;
      x[j] /= l[j];
      for (index_t i = j + 1; i < width; ++i) x[i] -= x[j] * l[i];
    }
  }
}

// X = A L^-T below the diagonal block; X is kept packed, as panels of rows and as groups of -X' for
// the update.
void Cholesky::scale_below(index_t k, index_t width) {
  const index_t unit = micro_.cols_f32, groups = round_up(width, unit) / unit;
  Buffer<float> right(groups * unit * width);
  for (index_t p = 0; p < width; ++p)
    for (index_t j = 0; j < groups * unit; ++j)
      right[(j / unit) * unit * width + p * unit + j % unit] =
          j < width && p <= j ? inverse(k)[p * kBlock + j] : 0.0f;
  const index_t first = k + width, panels = (order_ - first) / kPanel;
  parallel_for(panels, threads_, context_, [&](index_t p, int) {
    const index_t row = first + p * kPanel;
    float* panel = panels_.data() + p * kPanel * width;
    pack_rows(a_.data(), order_, row, k, width, panel);
    for (index_t j = 0; j < width; ++j) std::fill_n(column(k + j) + row, kPanel, 0.0f);
    update_panel(micro_, width, panel, right.data(), unit * width, width, column(k) + row, order_);
    pack_rows(a_.data(), order_, row, k, width, panel);
  });
  const index_t rows = order_ - first, all = round_up(rows, unit) / unit;
  parallel_for(all, threads_, context_, [&](index_t g, int) {
    float* out = groups_.data() + g * unit * width;
    for (index_t p = 0; p < width; ++p)
      for (index_t j = 0; j < unit; ++j) {
        const index_t row = g * unit + j;
        out[p * unit + j] = row < rows ? -column(k + p)[first + row] : 0.0f;
      }
  });
}

void Cholesky::update_trailing(index_t k, index_t width) {
  const index_t unit = micro_.cols_f32, first = k + width, rows = order_ - first;
  constexpr index_t kStrip = 96;  // columns of a work item, whole groups and panels
  const index_t items = (rows + kStrip - 1) / kStrip;
  parallel_for(items, threads_, context_, [&](index_t item, int) {
    const index_t begin = item * kStrip, cols = std::min(kStrip, rows - begin);
    for (index_t row = begin; row < rows; row += kPanel)
      update_panel(micro_, width, panels_.data() + row * width, groups_.data() + begin * width,
                   unit * width, cols, column(first + begin) + first + row, order_);
  });
}

// b_k = L_k^-1 b_k, or its transpose.
void Cholesky::multiply_inverse(index_t k, index_t width, bool transposed, float* b,
                                index_t cols) const {
  float before[kBlock];
  for (index_t c = 0; c < cols; ++c) {
    float* x = b + c * order_ + k;
    std::copy_n(x, width, before);
    for (index_t i = 0; i < width; ++i) {
      double sum = 0;
      if (transposed)
        for (index_t j = i; j < width; ++j) sum += inverse(k)[i * kBlock + j] * before[j];
      else
        for (index_t j = 0; j <= i; ++j) sum += inverse(k)[j * kBlock + i] * before[j];
      x[i] = static_cast<float>(sum);
    }
  }
}

// b below block k -= L b_k.
void Cholesky::eliminate_below(index_t k, index_t width, float* b, index_t cols) const {
  const index_t unit = micro_.cols_f32, first = k + width;
  Buffer<float> right(round_up(cols, unit) * width), panel(kPanel * width);
  pack_columns(b + k, order_, cols, unit, 0, width, width, right.data());
  for (index_t i = 0; i < right.size(); ++i) right[i] = -right[i];
  for (index_t row = first; row < order_; row += kPanel) {
    pack_rows(a_.data(), order_, row, k, width, panel.data());
    update_panel(micro_, width, panel.data(), right.data(), unit * width, cols, b + row, order_);
  }
}

// b_k -= L' b below block k.
void Cholesky::eliminate_above(index_t k, index_t width, float* b, index_t cols) const {
  const index_t unit = micro_.cols_f32;
  Buffer<float> right(round_up(cols, unit) * kBlock), panel(kPanel * kBlock);
  for (index_t row = k + width; row < order_; row += kBlock) {
    const index_t depth = std::min(kBlock, order_ - row);
    pack_columns(b + row, order_, cols, unit, 0, depth, depth, right.data());
    for (index_t i = 0; i < right.size(); ++i) right[i] = -right[i];
    for (index_t target = k; target < k + width; target += kPanel) {
      for (index_t j = 0; j < kPanel; ++j)
        for (index_t i = 0; i < depth; ++i)
          panel[i * kPanel + j] = a_[(target + j) * order_ + row + i];
      update_panel(micro_, depth, panel.data(), right.data(), unit * depth, cols, b + target,
                   order_);
    }
  }
}

void Cholesky::solve(float* b, index_t cols) const {
  for (index_t k = 0; k < order_; k += kBlock) {
    const index_t width = std::min(kBlock, order_ - k);
    multiply_inverse(k, width, false, b, cols);
    eliminate_below(k, width, b, cols);
  }
  for (index_t k = (order_ - 1) / kBlock * kBlock; k >= 0; k -= kBlock) {
    const index_t width = std::min(kBlock, order_ - k);
    eliminate_above(k, width, b, cols);
    multiply_inverse(k, width, true, b, cols);
    context_.check();
  }
}

}  // namespace flexkern
