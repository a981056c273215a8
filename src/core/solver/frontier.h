// Best-first search on the grid, led by what a part of the rows says.
#ifndef FLEXKERN_SOLVER_FRONTIER_H
#define FLEXKERN_SOLVER_FRONTIER_H

#include <cstdint>

#include "search.h"

namespace flexkern {

// Searches on half of the rows, and so on down to a few hundred of them, for which the whole grid
// is looked at. From there on a level starts at the best pairs of the valleys that the level below
// shows. A neighbour of what is settled is expected to do as much better or worse as it did there,
// with something in favour of narrower kernels and smaller penalties, which more rows call for. The
// most promising pair is settled next, until none can be expected to win.
void search_levels(const SearchTask& task, std::uint64_t item, Surface& surface);

}  // namespace flexkern

#endif
