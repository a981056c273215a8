// What the folds' systems need of a low-rank factor.
#ifndef FLEXKERN_SOLVER_FOLD_GRAMS_H
#define FLEXKERN_SOLVER_FOLD_GRAMS_H

#include <vector>

#include "fold_plan.h"
#include "pivoted_cholesky.h"

namespace flexkern {

// L' S^2 L of every fold in double precision, lower triangles of columns `rank` apart.
std::vector<Buffer<double>> fold_grams(const FoldPlan& plan, const PivotedCholesky& factor,
                                       const Micro& micro, int threads, Context& context);

}  // namespace flexkern

#endif
