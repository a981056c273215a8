// Newton's step of a dual for the coefficients that are not at a bound.
#ifndef FLEXKERN_SOLVER_DUAL_NEWTON_H
#define FLEXKERN_SOLVER_DUAL_NEWTON_H

#include <vector>

#include "core/base/context.h"
#include "dual_core.h"

namespace flexkern {

struct NewtonChange {
  std::vector<double> change;  // of each coordinate; empty if the step cannot be had
  double time = 0;             // roughly, in nanoseconds
};

// For these coordinates, which are within their boxes. The step is taken until the first of them,
// or a few, reach a bound; they stay there, and the others step anew. Wide kernels leave the
// coefficients far from determined: a step that is only cut to the boxes would lead anywhere.
NewtonChange newton_change(const DualCore& core, const std::vector<index_t>& free,
                           const Micro& micro, Context& context);

}  // namespace flexkern

#endif
