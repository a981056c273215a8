// Packed forms of a point set or block: panels of 16 rows for the left factor, groups of a few
// columns for the right one. Padding is zero.
#ifndef FLEXKERN_DEVICE_CPU_PACK_H
#define FLEXKERN_DEVICE_CPU_PACK_H

#include <algorithm>

#include "micro.h"

namespace flexkern {

// Rows [begin, begin + 16) of x as one panel: panel[k * 16 + r] = x(begin + r, k).
inline void pack_panel(ConstMatrixRef x, index_t begin, double* panel) {
  const index_t rows = std::min(kPanel, x.rows() - begin);
  for (index_t k = 0; k < x.cols(); ++k, panel += kPanel) {
    std::copy_n(x.col(k) + begin, rows, panel);
    std::fill(panel + rows, panel + kPanel, 0.0);
  }
}

// The rows of x as groups of `width` points: group g holds x(g * width + j, k) at [k * width + j].
inline Buffer<double> pack_points(ConstMatrixRef x, index_t width) {
  const index_t n = x.rows(), d = x.cols();
  Buffer<double> packed(round_up(std::max<index_t>(n, 1), width) * d);
  for (index_t g = 0; g * width < n; ++g) {
    double* out = packed.data() + g * width * d;
    for (index_t k = 0; k < d; ++k)
      for (index_t j = 0; j < width; ++j) {
        const index_t i = g * width + j;
        out[k * width + j] = i < n ? x(i, k) : 0.0;
      }
  }
  return packed;
}

// Columns of a block as groups of `width` columns: group g holds in(i, g * width + j) at [i * width
// + j]. Rows [first, last) of the groups are written.
template <typename T>
void pack_columns(const T* in, index_t stride, index_t cols, index_t width, index_t first,
                  index_t last, index_t rows, T* out) {
  for (index_t g = 0; g * width < cols; ++g) {
    T* group = out + g * width * rows;
    const index_t used = std::min(width, cols - g * width);
    for (index_t j = 0; j < width; ++j) {
      const T* column = in + (g * width + j) * stride;
      for (index_t i = first; i < last; ++i) group[i * width + j] = j < used ? column[i] : T(0);
    }
  }
}

}  // namespace flexkern

#endif
