#include "distance.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {

namespace {
constexpr index_t kBlock = 512;
}

PackedRows::PackedRows(ConstMatrixRef x, Context& context) : PackedRows(x.rows(), x.cols()) {
  const index_t blocks = (x.rows() + kBlock - 1) / kBlock;
  const int threads = x.rows() * x.cols() < 100000 ? 1 : context.threads;
  parallel_for(blocks, threads, context, [&](index_t b, int) {
    const index_t first = b * kBlock;
    pack(x, first, std::min(kBlock, x.rows() - first), first);
  });
}

PackedRows::PackedRows(const PackedRows& all, const std::vector<std::int32_t>& rows)
    : PackedRows(static_cast<index_t>(rows.size()), all.width()) {
  for (index_t i = 0; i < rows_; ++i) std::copy_n(all.row(rows[i]), width_, row(i));
}

void PackedRows::pack(ConstMatrixRef x, index_t first, index_t count, index_t to) {
  double* out = row(to);
  for (index_t j = 0; j < width_; ++j) {
    if (j < x.cols()) {
      const double* in = x.col(j) + first;
      for (index_t i = 0; i < count; ++i) out[i * width_ + j] = in[i];
    } else {
      for (index_t i = 0; i < count; ++i) out[i * width_ + j] = 0.0;
    }
  }
}

}  // namespace flexkern
