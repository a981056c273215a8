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
  // Settles the penalties of a gamma that so many steps settle, the first time that it is called
  // for it.
  void run(std::size_t g);

 private:
  const SearchTask& task_;
  Surface& surface_;
  index_t steps_;
  std::vector<char> done_;
};

}  // namespace flexkern

#endif
