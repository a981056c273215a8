#include "partition.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "bounded.h"
#include "core/base/error.h"
#include "core/base/rng.h"
#include "cover.h"
#include "margin.h"

namespace flexkern {

namespace {

// Rows packed for distances are the one large allocation of a partition.
PackedRows pack_rows(const Points& x, Context& context) {
  const double needed = PackedRows::bytes(x);
  if (needed > context.memory)
    throw over_budget("the partition of " + std::to_string(x.rows()) + " rows", needed,
                      context.memory);
  return PackedRows(x, context);
}

std::vector<std::int32_t> iota(std::size_t n) {
  std::vector<std::int32_t> v(n);
  std::iota(v.begin(), v.end(), 0);
  return v;
}

Partition voronoi(const PackedRows& rows, const PartitionOptions& options, Context& context) {
  Rng rng(context.seed, stream::kPartition);
  const index_t first =
      options.first >= 0 ? options.first : static_cast<index_t>(rng.below(rows.rows()));
  context.start_phase("centers of the partition", 0);
  Cover cover = farthest_first(rows, first, {options.radius, options.cells}, context);
  const double radius = cover.radius();
  return {cover.cell, cover.centers, iota(cover.centers.size()), std::move(cover.cell), radius, {}};
}

Partition by_centers(const Points& x, const PartitionOptions& options, Context& context) {
  const PackedRows rows = pack_rows(x, context);
  Partition partition = options.type == PartitionType::kVoronoi
                            ? voronoi(rows, options, context)
                            : bounded_partition(rows, options, context);
  partition.margin = make_margins(rows, partition, options.overlap, context);
  return partition;
}

// A random permutation cut into parts whose sizes differ by at most 1.
Partition random_chunks(const Points& x, const PartitionOptions& options, Context& context) {
  const index_t n = x.rows(), m = std::min(options.cells, n);
  std::vector<std::int32_t> order = iota(n);
  Rng(context.seed, stream::kPartition).shuffle(order);
  Partition chunks;
  chunks.cell.resize(n);
  for (index_t i = 0; i < n; ++i) chunks.cell[order[i]] = static_cast<std::int32_t>(i % m);
  return chunks;
}

}  // namespace

Partition make_partition(const Points& x, const PartitionOptions& options, Context& context) {
  require(x.rows() > 0, "a partition needs at least one row");
  require(options.cells > 0, "a partition needs at least one cell");
  switch (options.type) {
    case PartitionType::kVoronoi:
    case PartitionType::kBounded:
      return by_centers(x, options, context);
    case PartitionType::kRandom:
      return random_chunks(x, options, context);
    case PartitionType::kNone:
      break;
  }
  Partition whole;
  whole.cell.assign(x.rows(), 0);
  return whole;
}

}  // namespace flexkern
