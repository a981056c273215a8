// The search over a grid for a loss with a dual.
#ifndef FLEXKERN_SOLVER_DUAL_SEARCH_H
#define FLEXKERN_SOLVER_DUAL_SEARCH_H

#include <cstdint>

#include "dual_folds.h"

namespace flexkern {

// With the race, a part of the rows looks at the whole grid first, and the level above walks from
// the pair that is best there; without it, every pair is computed.
void search_dual(const DualTask& task, std::uint64_t item, Surface& surface);

}  // namespace flexkern

#endif
