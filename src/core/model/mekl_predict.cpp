#include "mekl_predict.h"

#include <numeric>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

using Values = std::vector<double>;

Values gather(ConstMatrixRef x, const std::vector<index_t>& rows,
              const std::vector<index_t>& columns) {
  Values out;
  out.reserve(rows.size() * columns.size());
  for (index_t k : columns)
    for (index_t i : rows) out.push_back(x(i, k));
  return out;
}

}  // namespace

void add_mekl(const std::vector<MeklExpansion>& parts, ConstMatrixRef x, ConstMatrixRef sv,
              const Device& device, MatrixRef out, Context& context) {
  std::vector<index_t> all(static_cast<std::size_t>(x.rows()));
  std::iota(all.begin(), all.end(), 0);
  Values points;
  std::vector<index_t> seen;
  context.start_phase("prediction", static_cast<double>(parts.size()));
  for (const MeklExpansion& part : parts) {
    const index_t d = static_cast<index_t>(part.columns.size());
    const index_t m = static_cast<index_t>(part.basis.size()), cols = part.coef.cols();
    if (seen != part.columns || points.empty()) {
      points = gather(x, all, part.columns);
      seen = part.columns;
    }
    const Values centers = gather(sv, part.basis, part.columns);
    Values values(static_cast<std::size_t>(x.rows() * cols));
    device.expand(ConstMatrixRef(points.data(), x.rows(), d), ConstMatrixRef(centers.data(), m, d),
                  part.kernel, part.coef, {values.data(), x.rows(), cols}, context.threads,
                  context);
    for (index_t c = 0; c < cols; ++c)
      for (index_t i = 0; i < x.rows(); ++i)
        out(i, part.first + c) += values[static_cast<std::size_t>(c * x.rows() + i)];
    context.advance(1);
  }
}

}  // namespace flexkern
