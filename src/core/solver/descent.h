// Downhill on the grid by factorisations.
#ifndef FLEXKERN_SOLVER_DESCENT_H
#define FLEXKERN_SOLVER_DESCENT_H

#include "search.h"

namespace flexkern {

// Settles pairs of the surface, from its best one on, until none of the eight neighbours of the
// best pair is better or unsettled. Pairs whose present estimate is above `trust` times the least
// one are not looked at.
void descend(const SearchTask& task, double trust, Surface& surface);

// Settles one pair; `current` is the position of the gamma that the Gram matrix holds.
void settle_directly(const SearchTask& task, std::size_t g, std::size_t l, std::size_t& current,
                     Surface& surface);

}  // namespace flexkern

#endif
