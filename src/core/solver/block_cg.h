// Conjugate gradients on many systems that share one Gram matrix, in single precision.
#ifndef FLEXKERN_SOLVER_BLOCK_CG_H
#define FLEXKERN_SOLVER_BLOCK_CG_H

#include <vector>

#include "core/device/device.h"
#include "low_rank.h"

namespace flexkern {

// (S K S + shift I) u = b for every column; mask is the diagonal of S.
struct CgColumn {
  const float* mask;
  double shift;
  int fold;
};

// Solves for all columns of b (stride x columns, overwritten by the residuals) to the relative
// accuracy `reduction`, adding to u. Columns leave the block once they are solved. The
// preconditioner may be null. Returns the steps taken.
index_t block_cg(GramMatrix& gram, const Micro& micro, const std::vector<CgColumn>& columns,
                 LowRank* preconditioner, float* b, float* u, double reduction, index_t max_iter,
                 int threads, Context& context);

}  // namespace flexkern

#endif
