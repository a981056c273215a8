// Weights count by their ratios within the problem that they belong to: a pair of classes in a
// cell, the rows that one machine learns from.
#ifndef FLEXKERN_BASE_WEIGHTS_H
#define FLEXKERN_BASE_WEIGHTS_H

#include "view.h"

namespace flexkern {

// The mean of the positive ones, 0 where there are none. Corrected once, so that equal weights are
// their own mean to the last bit.
inline double mean_weight(const double* weights, index_t count) {
  double mean = 0;
  for (int pass = 0; pass < 2; ++pass) {
    double sum = 0, positive = 0;
    for (index_t i = 0; i < count; ++i) {
      if (!(weights[i] > 0)) continue;
      sum += weights[i] - mean;
      positive += 1;
    }
    if (positive > 0) mean += sum / positive;
  }
  return mean;
}

// Weights of mean 1 over those of the first `own` rows that are positive, or where there are none,
// over all.
inline void balance(double* weights, index_t count, index_t own) {
  double mean = mean_weight(weights, own);
  if (!(mean > 0)) mean = mean_weight(weights, count);
  for (index_t i = 0; i < count && mean > 0; ++i) weights[i] /= mean;
}

}  // namespace flexkern

#endif
