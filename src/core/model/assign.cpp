#include "assign.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../base/error.h"
#include "../base/parallel.h"

namespace flexkern {

namespace {

constexpr index_t kBlock = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool bounds_pay(index_t centers, index_t queries, double memory) {
  const double bytes = static_cast<double>(centers) * centers * sizeof(float);
  return centers > 8 && centers < queries && bytes < memory / 8;
}

}  // namespace

NearestCenter::NearestCenter(PackedRows centers, index_t queries, Context& context)
    : centers_(std::move(centers)) {
  const index_t m = centers_.rows();
  require(m > 0, "there is no centre to assign rows to");
  if (!bounds_pay(m, queries, context.memory)) return;
  between_ = Buffer<float>(m * m);
  constexpr float kBelow = 1 - 1e-6f;  // the rounding to float must not raise the bound
  parallel_for(m, m < 256 ? 1 : context.threads, context, [&](index_t a, int) {
    for (index_t b = 0; b < m; ++b)
      between_[a * m + b] =
          kBelow * static_cast<float>(squared_distance(centers_.row(a), centers_.row(b),
                                                       centers_.width(), kInfinity));
  });
}

NearestCenter::Hit NearestCenter::find_plain(const double* x) const {
  Hit best{0, squared_distance(x, centers_.row(0), centers_.width(), kInfinity)};
  for (index_t j = 1; j < centers_.rows(); ++j) {
    const double d = squared_distance(x, centers_.row(j), centers_.width(), best.squared_distance);
    if (d < best.squared_distance) best = {static_cast<std::int32_t>(j), d};
  }
  return best;
}

// As above, but a centre too far from the best so far is passed over by the triangle inequality.
NearestCenter::Hit NearestCenter::find_bounded(const double* x) const {
  const index_t m = centers_.rows();
  Hit best{0, squared_distance(x, centers_.row(0), centers_.width(), kInfinity)};
  const float* between = between_.data();
  auto reach = static_cast<float>(4 * best.squared_distance * kPruneMargin);
  for (index_t j = 1; j < m; ++j) {
    if (between[j] > reach) continue;
    const double d = squared_distance(x, centers_.row(j), centers_.width(), best.squared_distance);
    if (d >= best.squared_distance) continue;
    best = {static_cast<std::int32_t>(j), d};
    between = between_.data() + j * m;
    reach = static_cast<float>(4 * d * kPruneMargin);
  }
  return best;
}

std::vector<std::int32_t> assign(ConstMatrixRef x, ConstMatrixRef centers, Context& context) {
  require(x.cols() == centers.cols(), "rows and centres differ in their number of columns");
  std::vector<std::int32_t> cell(x.rows());
  if (x.rows() == 0) return cell;
  const NearestCenter search(PackedRows(centers, context), x.rows(), context);
  const index_t blocks = (x.rows() + kBlock - 1) / kBlock;
  parallel_for(blocks, context.threads, context, [&](index_t b, int) {
    const index_t first = b * kBlock, count = std::min(kBlock, x.rows() - first);
    PackedRows rows(count, x.cols());
    rows.pack(x, first, count);
    for (index_t i = 0; i < count; ++i) cell[first + i] = search.find(rows.row(i)).center;
  });
  return cell;
}

}  // namespace flexkern
