// Decisions that single precision cannot tell from a tie. The search knows the values of a kernel
// to single precision, each to a share kResolution of |x| |x_i| with |x|^2 = k(x, x). As roundings
// are independent of each other, a decision value sum_i a_i k(x, x_i) is known to
//   kResolution |x| (sum_i a_i^2 |x_i|^2)^(1/2).
// What is smaller is 0, in search, validation and prediction alike: far from all rows, where the
// values of a narrow kernel are lost beside others, the sign of a sum in double precision is not
// one that the search has seen.
#ifndef FLEXKERN_SOLVER_TIES_H
#define FLEXKERN_SOLVER_TIES_H

#include <vector>

#include "core/device/device.h"

namespace flexkern {

// How the decision values of a row become a label, if they do: each by its sign, or all by the
// largest of them.
enum class Labels { none, sign, largest };

// |x| of each point; there may be more values than points.
std::vector<double> kernel_sizes(const Points& x, const Kernel& kernel, const Device& device);

// To what share of |x| a sum with these coefficients is known. The points' sizes; or no sizes: 1.
double resolution(const double* coef, index_t n, const std::vector<double>& size = {});

// The decision values of a row, each known to its `limit`: those within it become 0, and where the
// largest is the label, those that it does not tell from the largest become as large.
void settle_ties(Labels labels, const std::vector<double>& limit, std::vector<double>& decision);

}  // namespace flexkern

#endif
