#include "assign.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "cover.h"

namespace flexkern {

namespace {

constexpr index_t kBlock = 256;
constexpr index_t kChunk = 16;  // bounds tested at a time
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr float kFar = std::numeric_limits<float>::infinity();

bool bounds_pay(index_t centers, index_t queries, double memory) {
  const double bytes = static_cast<double>(centers * centers) * sizeof(float);
  return centers > 8 && centers < queries && bytes < memory / 4;
}

}  // namespace

NearestCenter::NearestCenter(PackedRows centers, index_t queries, Context& context)
    : centers_(std::move(centers)) {
  require(centers_.rows() > 0, "there is no centre to assign rows to");
  if (centers_.is_sparse()) {
    by_column_ = RowsByColumn(centers_);
  } else if (bounds_pay(centers_.rows(), queries, context.memory)) {
    prepare(context);
  }
}

void NearestCenter::prepare(Context& context) {
  const index_t m = centers_.rows();
  stride_ = (m + kChunk - 1) / kChunk * kChunk;
  between_ = Buffer<float>(m * stride_);
  constexpr float kBelow = 1 - 1e-6f;  // the rounding to float must not raise the bound
  parallel_for(m, m < 256 ? 1 : context.threads, context, [&](index_t a, int) {
    float* row = between_.data() + a * stride_;
    for (index_t b = 0; b < m; ++b)
      row[b] = kBelow *
               static_cast<float>(squared_distance(centers_.row(a), centers_.row(b), kInfinity));
    std::fill(row + m, row + stride_, kFar);
  });
  const auto few = static_cast<index_t>(std::sqrt(static_cast<double>(m)));
  Context quiet;  // a side task: no part of the progress shown
  const Cover cover = farthest_first(centers_, 0, {0, few}, quiet);
  coarse_ = cover.centers;
  group_.resize(coarse_.size());
  for (index_t j = 0; j < m; ++j) group_[cover.cell[j]].push_back(static_cast<std::int32_t>(j));
}

void NearestCenter::improve(const Row& x, std::int32_t j, Hit& best) const {
  const double d = squared_distance(x, centers_.row(j), best.squared_distance);
  if (best.center < 0 || d < best.squared_distance ||
      (d == best.squared_distance && j < best.center))
    best = {j, d};
}

// A near centre, mostly: the best one in the group of the nearest coarse centre.
NearestCenter::Hit NearestCenter::guess(const Row& x) const {
  Hit best{-1, kInfinity};
  std::size_t nearest = 0;
  for (std::size_t g = 0; g < coarse_.size(); ++g) {
    const std::int32_t before = best.center;
    improve(x, coarse_[g], best);
    if (best.center != before) nearest = g;
  }
  for (const std::int32_t j : group_[nearest]) improve(x, j, best);
  return best;
}

// Visits the centres whose bound does not exceed `reach`, which a visit may lower.
template <typename Visit>
void NearestCenter::each_within(const float* between, const float& reach, Visit visit) const {
  for (index_t j = 0; j < stride_; j += kChunk) {
    int within = 0;
    for (index_t l = 0; l < kChunk; ++l) within += between[j + l] <= reach;
    if (within == 0) continue;
    for (index_t l = 0; l < kChunk; ++l)
      if (between[j + l] <= reach && j + l < centers_.rows())
        visit(static_cast<std::int32_t>(j + l));
  }
}

// Improves `best` among all centres but `skip`. By the triangle inequality a centre z is out of
// reach if d(z, s) > d(x, s) + d(x, best), where s is the centre `from`.
void NearestCenter::search(const Row& x, const Hit& from, std::int32_t skip, Hit& best) const {
  const double own = std::sqrt(from.squared_distance);
  const auto reach_of = [&](const Hit& hit) {
    const double sum = own + std::sqrt(hit.squared_distance);
    return static_cast<float>(sum * sum * kPruneMargin) + std::numeric_limits<float>::min();
  };
  float reach = reach_of(best);
  each_within(between_.data() + from.center * stride_, reach, [&](std::int32_t j) {
    const std::int32_t before = best.center;
    if (j != skip) improve(x, j, best);
    if (best.center != before) reach = reach_of(best);
  });
}

NearestCenter::Hit NearestCenter::find(const Row& x) const {
  if (!bounded()) return scan(x, -1);
  const Hit start = guess(x);
  Hit best = start;
  search(x, start, -1, best);
  return best;
}

NearestCenter::Hit NearestCenter::find_second(const Row& x, const Hit& first) const {
  if (!bounded()) return scan(x, first.center);
  Hit best{-1, kInfinity};
  search(x, first, first.center, best);
  return best;
}

NearestCenter::Hit NearestCenter::scan(const Row& x, std::int32_t skip) const {
  if (centers_.is_sparse()) return scan_sparse(x, skip);
  Hit best{-1, kInfinity};
  for (index_t j = 0; j < centers_.rows(); ++j)
    if (j != skip) improve(x, static_cast<std::int32_t>(j), best);
  return best;
}

// Bounds between centres rule out little in the many dimensions of sparse rows, where distances to
// all centres are cheap. Those that rounding cannot tell from the nearest are measured exactly.
NearestCenter::Hit NearestCenter::scan_sparse(const Row& x, std::int32_t skip) const {
  const std::vector<double> distance = by_column_.squared_distances(x);
  const double norm = squared_norm(x);
  const std::size_t count = distance.size(), without = static_cast<std::size_t>(skip);
  double reach = kInfinity;
  for (std::size_t j = 0; j < count; ++j)
    if (j != without) reach = std::min(reach, distance[j] + by_column_.doubt(norm, j));
  Hit best{-1, kInfinity};
  for (std::size_t j = 0; j < count; ++j)
    if (j != without && distance[j] - by_column_.doubt(norm, j) <= reach)
      improve(x, static_cast<std::int32_t>(j), best);
  return best;
}

std::vector<std::int32_t> assign(const Points& x, const Points& centers, Context& context) {
  require(x.cols() == centers.cols(), "rows and centres differ in their number of columns");
  require(x.is_sparse() == centers.is_sparse(), "points of two kinds meet");
  std::vector<std::int32_t> cell(x.rows());
  if (x.rows() == 0) return cell;
  const NearestCenter search(PackedRows(centers, context), x.rows(), context);
  const index_t blocks = (x.rows() + kBlock - 1) / kBlock;
  parallel_for(blocks, context.threads, context, [&](index_t b, int) {
    const index_t first = b * kBlock, count = std::min(kBlock, x.rows() - first);
    const PackedRows rows(x.middle(first, count), 1, context);
    for (index_t i = 0; i < count; ++i) cell[first + i] = search.find(rows.row(i)).center;
  });
  return cell;
}

}  // namespace flexkern
