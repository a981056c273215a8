// The margins of the cells: rows of other cells that a cell's model trains on beside its own.
#ifndef FLEXKERN_MODEL_MARGIN_H
#define FLEXKERN_MODEL_MARGIN_H

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "distance.h"
#include "partition.h"

namespace flexkern {

// Between the regions of two centres lies the plane halfway between them. The margin of a cell are
// the rows of other cells nearest to the planes between their own region and one of the cell's,
// ties to the smaller row: `overlap` times the cell's own number of rows, rounded, or all there
// are. In rising order of the rows.
std::vector<std::vector<std::int32_t>> make_margins(const PackedRows& rows,
                                                    const Partition& partition, double overlap,
                                                    Context& context);

}  // namespace flexkern

#endif
