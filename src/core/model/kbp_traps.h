// Random traps: vectors that carry no information, so that a path stops where one of them is as
// correlated with the residual as the best source (Guigue et al. 2005, section 3.3.2).
#ifndef FLEXKERN_MODEL_KBP_TRAPS_H
#define FLEXKERN_MODEL_KBP_TRAPS_H

#include <cstdint>
#include <vector>

#include "core/base/view.h"

namespace flexkern {

// `count` vectors of n values each, normal or uniform; vector k is a function of the seed and k.
std::vector<double> random_traps(index_t n, index_t count, bool uniform, std::uint64_t seed);

}  // namespace flexkern

#endif
