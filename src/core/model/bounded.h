// The bounded partition: cells of at most max_cell rows for people who know no radius.
#ifndef FLEXKERN_MODEL_BOUNDED_H
#define FLEXKERN_MODEL_BOUNDED_H

#include "core/base/context.h"
#include "distance.h"
#include "partition.h"

namespace flexkern {

// Covers the rows by many small Voronoi regions and puts these together to few, large, compact
// cells: as few rows as possible should have their nearest neighbours in another cell. A cell
// exceeds max_cell only if more identical rows than that are in it.
Partition bounded_partition(const PackedRows& rows, const PartitionOptions& options,
                            Context& context);

}  // namespace flexkern

#endif
