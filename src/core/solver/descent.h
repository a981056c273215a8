// Downhill on the grid by factorisations.
#ifndef FLEXKERN_SOLVER_DESCENT_H
#define FLEXKERN_SOLVER_DESCENT_H

#include "factor_risk.h"
#include "search.h"

namespace flexkern {

// Whether a pair by factorisation takes less time than the steps that a Krylov process with so many
// steps behind it needs for its next penalty.
bool prefer_factors(const SearchTask& task, index_t steps);

// Settles pairs of a surface one at a time.
class PairSettler {
 public:
  PairSettler(const SearchTask& task, Surface& surface);
  void settle(std::size_t g, std::size_t l);

 private:
  const SearchTask& task_;
  Surface& surface_;
  FactorRisk risk_;
  std::size_t gamma_;  // the position of the one that the Gram matrix holds
};

// Settles, for every gamma whose least estimate is within `start`, penalties from there on
// downhill; then the neighbours of the best settled pair, until none of its eight neighbours is
// better or unsettled. Pairs whose estimate is above `limit` are not looked at.
void descend(const SearchTask& task, double start, double limit, Surface& surface);

}  // namespace flexkern

#endif
