// The Gram matrix of a hierarchical Gaussian kernel, in double precision.
#ifndef FLEXKERN_MODEL_HG_GRAM_H
#define FLEXKERN_MODEL_HG_GRAM_H

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "core/base/points.h"
#include "core/device/cpu/micro.h"

namespace flexkern {

// out = exp(-gamma D(x, z)), D the squared feature distance of x's hierarchy.
void hierarchy_gram(const Points& x, const Points& z, double gamma, const Micro& micro,
                    MatrixRef out, Context& context);

// Columns 0 .. p - 1 for each of `nodes` nodes, `places` in all, as even as can be: random
// permutations one after another, of which no node takes a column twice.
std::vector<std::vector<index_t>> share_columns(index_t p, index_t nodes, index_t places,
                                                std::uint64_t seed);

}  // namespace flexkern

#endif
