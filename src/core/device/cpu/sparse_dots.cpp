#include "sparse_dots.h"

#include <algorithm>

namespace flexkern {

void SparseDots::select(index_t begin) {
  const index_t n = columns_.cols, rows = std::min(kPanel, x_.rows - begin);
  std::fill_n(sums_.data(), sums_.size(), 0.0);
  for (index_t r = 0; r < rows; ++r) {
    double* sums = sums_.data() + r * n;
    const SparseRow row = x_.row(begin + r);
    for (index_t e = 0; e < row.size; ++e) {
      const SparseRow others = columns_.row(row.column[e]);
      for (index_t o = 0; o < others.size; ++o)
        sums[others.column[o]] += row.value[e] * others.value[o];
    }
  }
}

void SparseDots::copy(index_t first, index_t count, double* out) const {
  const index_t n = columns_.cols;
  for (index_t c = 0; c < count; ++c)
    for (index_t r = 0; r < kPanel; ++r) *out++ = sums_[r * n + first + c];
}

}  // namespace flexkern
