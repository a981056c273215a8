// Exact factorisations, for small cells and for systems that single precision cannot solve.
#ifndef FLEXKERN_SOLVER_DENSE_H
#define FLEXKERN_SOLVER_DENSE_H

#include "refined.h"
#include "search.h"

namespace flexkern {

void search_dense(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                  const Kernel& kernel, const Device& device, const SearchOptions& options,
                  Context& context, Surface& surface);

Solution solve_dense(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                     const Kernel& kernel, const Device& device, double lambda, double tol,
                     Context& context);

}  // namespace flexkern

#endif
