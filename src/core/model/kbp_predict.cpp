#include "kbp_predict.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr index_t kRows = 512;  // rows that one work item covers

// Rows [first, first + rows) of the sum over the sources of one kernel.
void add_part(const KbpExpansion& part, ConstMatrixRef x, index_t first, index_t rows,
              const Micro& micro, MatrixRef out) {
  const index_t d = static_cast<index_t>(part.columns.size());
  std::vector<double> points, center(static_cast<std::size_t>(d));
  for (index_t k : part.columns)
    points.insert(points.end(), x.col(k) + first, x.col(k) + first + rows);
  std::vector<double> values(static_cast<std::size_t>(rows));
  for (index_t j = 0; j < part.centers.rows(); ++j) {
    for (index_t k = 0; k < d; ++k) center[static_cast<std::size_t>(k)] = part.centers(j, k);
    part.kernel.column(ConstMatrixRef(points.data(), rows, d), center.data(), micro, values.data());
    for (index_t c = 0; c < out.cols(); ++c)
      for (index_t i = 0; i < rows; ++i)
        out(first + i, c) += part.coef(j, c) * values[static_cast<std::size_t>(i)];
  }
}

}  // namespace

void add_expansions(const std::vector<KbpExpansion>& parts, ConstMatrixRef x, const Micro& micro,
                    MatrixRef out, Context& context) {
  const index_t items = (x.rows() + kRows - 1) / kRows;
  parallel_for(items, context.threads, context, [&](index_t item, int) {
    const index_t first = item * kRows, rows = std::min(kRows, x.rows() - first);
    for (const KbpExpansion& part : parts) add_part(part, x, first, rows, micro, out);
  });
}

}  // namespace flexkern
