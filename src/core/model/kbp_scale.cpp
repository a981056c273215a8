#include "kbp_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

struct Range {
  double nearest = 0, farthest = 0;
};

Range distances_from(ConstMatrixRef x, index_t row) {
  std::vector<double> square(static_cast<std::size_t>(x.rows()), 0.0);
  for (index_t k = 0; k < x.cols(); ++k)
    for (index_t i = 0; i < x.rows(); ++i) {
      const double d = x(i, k) - x(row, k);
      square[static_cast<std::size_t>(i)] += d * d;
    }
  Range range;
  for (double s : square) {
    if (s > 0 && (range.nearest == 0 || s < range.nearest)) range.nearest = s;
    range.farthest = std::max(range.farthest, s);
  }
  return {std::sqrt(range.nearest), std::sqrt(range.farthest)};
}

}  // namespace

KeyDistances key_distances(ConstMatrixRef x, index_t max_rows, bool exact, Context& context) {
  const index_t n = x.rows(), rows = exact ? n : std::min(n, max_rows);
  std::vector<Range> ranges(static_cast<std::size_t>(rows));
  parallel_for(rows, context.threads, context, [&](index_t i, int) {
    ranges[static_cast<std::size_t>(i)] = distances_from(x, i * n / rows);
  });
  KeyDistances out;
  std::vector<double> nearest;
  for (const Range& r : ranges) {
    out.diameter = std::max(out.diameter, r.farthest);
    if (r.nearest > 0) nearest.push_back(r.nearest);
  }
  if (nearest.empty()) return out;
  std::sort(nearest.begin(), nearest.end());
  out.least = nearest.front();
  const std::size_t m = nearest.size();
  out.median_nn = (nearest[(m - 1) / 2] + nearest[m / 2]) / 2;
  return out;
}

}  // namespace flexkern
