// The vector routines of hierarchical kernels, beside exponentials and matrix products. n counts
// values and is a multiple of 16.
#ifndef FLEXKERN_DEVICE_CPU_HG_OPS_H
#define FLEXKERN_DEVICE_CPU_HG_OPS_H

#include "core/base/view.h"

namespace flexkern {

template <typename T>
struct HgOps {
  // out = step (lane - point)^2 for 16 lanes and each of the points, 16 values a point.
  void (*squares)(index_t points, const T* lane, const T* point, T step, T* out);
  // out += weight (1 - k)
  void (*add_share)(index_t n, T weight, const T* k, T* out);
  // With k' = k exp(-change): change = gain (k - k'); k' goes to `updated` where that is not null.
  void (*link)(index_t n, T gain, const T* k, T* change, T* updated);
  // out = exp(-gamma (distance + change))
  void (*shifted_exp)(index_t n, T gamma, const T* distance, const T* change, T* out);
  // out = scale a b
  void (*product)(index_t n, T scale, const T* a, const T* b, T* out);
  // The sum of c (1 - k).
  double (*dot_share)(index_t n, const T* c, const T* k);
};

}  // namespace flexkern

#endif
