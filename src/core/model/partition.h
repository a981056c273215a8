// Partitions of the rows of a data matrix into the cells on which local models are trained.
#ifndef FLEXKERN_MODEL_PARTITION_H
#define FLEXKERN_MODEL_PARTITION_H

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/context.h"
#include "core/base/points.h"

namespace flexkern {

enum class PartitionType {
  kNone,     // one cell
  kVoronoi,  // one cell per centre of a farthest-first cover
  kBounded,  // Voronoi regions put together to cells of at most max_cell rows
  kRandom    // chunks of a random permutation
};

struct PartitionOptions {
  PartitionType type = PartitionType::kVoronoi;
  double radius = 0;                                    // voronoi
  index_t cells = std::numeric_limits<index_t>::max();  // voronoi: at most; random: exactly
  index_t first = -1;                                   // voronoi: first centre, -1 = random
  index_t max_cell = 2000;                              // bounded
  index_t min_cell = 1;                                 // bounded
  double overlap = 0;  // voronoi, bounded: rows of a cell's margin to one of its own
};

struct Partition {
  std::vector<std::int32_t> cell;            // of each row
  std::vector<std::int32_t> centers;         // rows; empty for none and random
  std::vector<std::int32_t> cell_of_center;  // the cell that a centre's region belongs to
  std::vector<std::int32_t> region;          // the nearest centre of each row
  double radius = std::numeric_limits<double>::quiet_NaN();  // largest distance to a centre
  std::vector<std::vector<std::int32_t>> margin;  // of each cell: rows of others it trains on too
};

Partition make_partition(const Points& x, const PartitionOptions& options, Context& context);

}  // namespace flexkern

#endif
