// Downhill on the grid by factorisations.
#ifndef FLEXKERN_SOLVER_DESCENT_H
#define FLEXKERN_SOLVER_DESCENT_H

#include "search.h"

namespace flexkern {

// Settles, for every gamma whose least estimate is within `start`, penalties from there on
// downhill; then the neighbours of the best settled pair, until none of its eight neighbours is
// better or unsettled. Pairs whose estimate is above `limit` are not looked at.
void descend(const SearchTask& task, double start, double limit, Surface& surface);

// Settles one pair; `current` is the position of the gamma that the Gram matrix holds.
void settle_directly(const SearchTask& task, std::size_t g, std::size_t l, std::size_t& current,
                     Surface& surface);

}  // namespace flexkern

#endif
