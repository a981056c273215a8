// The distances from which the bandwidths of kernel basis pursuit are derived (Guigue et al. 2005,
// section 3.4).
#ifndef FLEXKERN_MODEL_KBP_SCALE_H
#define FLEXKERN_MODEL_KBP_SCALE_H

#include "core/base/context.h"
#include "core/base/view.h"

namespace flexkern {

struct KeyDistances {
  double least = 0;      // of two distinct points
  double median_nn = 0;  // median distance of a point to the nearest distinct one
  double diameter = 0;   // of the points; from `max_rows` points only, if there are more
};

// All 0 if there are no two distinct points. The median and the diameter look at `max_rows` evenly
// spaced rows against all others; the least distance looks at all rows if `exact`.
KeyDistances key_distances(ConstMatrixRef x, index_t max_rows, bool exact, Context& context);

}  // namespace flexkern

#endif
