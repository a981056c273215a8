// Joins touching regions to cells.
#ifndef FLEXKERN_MODEL_AGGLOMERATE_H
#define FLEXKERN_MODEL_AGGLOMERATE_H

#include <cstdint>
#include <vector>

#include "regions.h"

namespace flexkern {

// Joins the two regions, then groups of regions, with the longest common border for their sizes, as
// long as the union has at most max_cell rows. Returns the cell of each region, numbered by their
// first regions.
std::vector<std::int32_t> agglomerate(RegionGraph graph, index_t max_cell);

// Renumbers cells 0, 1, ... in the order of their first regions.
void renumber(std::vector<std::int32_t>& cell);

}  // namespace flexkern

#endif
