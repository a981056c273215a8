// All penalties of a gamma by one Krylov process, where a known number of steps is enough.
#ifndef FLEXKERN_SOLVER_SWEEP_H
#define FLEXKERN_SOLVER_SWEEP_H

#include <vector>

#include "search.h"

namespace flexkern {

// Steps after which the process of the best gamma agrees with the risks of the best pair and of its
// settled larger penalties; 0 if more than `limit` are needed.
index_t steps_to_settle(const SearchTask& task, const Surface& surface, double limit);

class Sweep {
 public:
  // `steps` are those that settled a part of the rows; 0: never sweep.
  Sweep(const SearchTask& task, Surface& surface, index_t steps);
  // The first time that it is called for a gamma: settles the penalties that not many more steps
  // settle, in a race against the best settled risk.
  void run(std::size_t g, double best);
  // The least risk that a pair which is not settled may have, by what is known of it.
  double bound(std::size_t g, std::size_t l) const { return bound_[surface_.at(g, l)]; }

 private:
  const SearchTask& task_;
  Surface& surface_;
  index_t steps_;
  std::vector<char> done_;
  std::vector<double> bound_;
};

}  // namespace flexkern

#endif
