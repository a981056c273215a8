// Best-first search on the grid, led by what a part of the rows says.
#ifndef FLEXKERN_SOLVER_GRID_WALK_H
#define FLEXKERN_SOLVER_GRID_WALK_H

#include "search.h"

namespace flexkern {

// A pair is looked at if its expected risk is at most this share above the best one. A step of the
// grid to a narrower kernel or to a smaller penalty adds another share, a larger one where it
// starts nearly as good as the best pair. The levels below have more to find out, at less cost.
struct Margins {
  double any, forward, forward_from_good;
};
constexpr Margins kMargins = {0.005, 0.02, 0.3}, kMarginsBelow = {0.01, 0.05, 0.12};

// Where the risks of pairs come from; g counts the gammas of the surface.
class PairSource {
 public:
  virtual ~PairSource() = default;
  // No risk of this pair can be below it.
  virtual double bound(std::size_t g, std::size_t l) const = 0;
  // Puts the risk on the surface, unless it cannot be below the best one.
  virtual void settle(std::size_t g, std::size_t l, double best) = 0;
  virtual void report(double share) = 0;
};

// Starts at the best pairs of the valleys of the surface below. A neighbour of what is settled is
// expected to do as much better or worse as it did there. The most promising pair is settled next,
// until none can be expected to win.
void walk_grid(const Surface& below, const Margins& margins, Surface& surface, PairSource& source);

}  // namespace flexkern

#endif
