#include "bounded.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "agglomerate.h"
#include "core/base/rng.h"
#include "grouping.h"
#include "regions.h"

namespace flexkern {

namespace {

std::vector<std::int32_t> group(const PackedRows& rows, const Regions& regions,
                                const CellBounds& bounds, Context& context) {
  const RegionGraph graph = region_graph(rows, regions, context);
  const PackedRows centers(rows, regions.centers);
  Grouping grouping(graph, centers, bounds, agglomerate(graph, bounds.largest));
  for (int round = 0; round < 2; ++round) {
    grouping.dissolve_cells();
    grouping.shorten_borders();
  }
  grouping.enlarge_small();
  return grouping.cells();
}

}  // namespace

Partition bounded_partition(const PackedRows& rows, const PartitionOptions& options,
                            Context& context) {
  Rng rng(context.seed, stream::kPartition);
  const Regions regions = make_regions(rows, options.max_cell, rng, context);
  const CellBounds bounds{options.min_cell, std::max(options.min_cell, options.max_cell / 4),
                          options.max_cell};
  Partition partition;
  partition.cell_of_center = group(rows, regions, bounds, context);
  partition.centers = regions.centers;
  partition.cell.reserve(regions.hit.size());
  partition.region.reserve(regions.hit.size());
  double largest = 0;
  for (const NearestCenter::Hit& h : regions.hit) {
    partition.cell.push_back(partition.cell_of_center[h.center]);
    partition.region.push_back(h.center);
    largest = std::max(largest, h.squared_distance);
  }
  partition.radius = std::sqrt(largest);
  return partition;
}

}  // namespace flexkern
