// Downhill on the grid by solving single pairs.
#ifndef FLEXKERN_SOLVER_DESCENT_H
#define FLEXKERN_SOLVER_DESCENT_H

#include "factor_risk.h"
#include "low_rank_risk.h"

namespace flexkern {

// Settles pairs of a surface one at a time.
class PairSettler {
 public:
  PairSettler(const SearchTask& task, Surface& surface);
  void settle(std::size_t g, std::size_t l);
  // Penalties of one gamma from that of its least estimate on downhill.
  void settle_downhill(std::size_t g);
  // Of settling a pair: before anything is known of its gamma, and from a look at the gamma, which
  // the Gram matrix takes for it.
  double least_time() const { return low_rank_risk_.least_time(); }
  double time(std::size_t g);

 private:
  const SearchTask& task_;
  Surface& surface_;
  LowRankRisk low_rank_risk_;
  FactorRisk factor_risk_;
};

// Settles, for every gamma whose least estimate is within `start`, penalties from there on
// downhill; then the neighbours of the best settled pair, until none of its eight neighbours is
// better or unsettled. Pairs whose estimate is above `limit` are not looked at.
void descend(const SearchTask& task, double start, double limit, Surface& surface);

}  // namespace flexkern

#endif
