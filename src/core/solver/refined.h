// Accurate solutions at one (gamma, lambda): iterative refinement whose residuals are computed in
// double precision from the points themselves, around solvers in single precision.
#ifndef FLEXKERN_SOLVER_REFINED_H
#define FLEXKERN_SOLVER_REFINED_H

#include <vector>

#include "core/device/device.h"
#include "fold_plan.h"

namespace flexkern {

struct SolveOptions {
  double lambda = 0;
  double tol = 1e-6;        // relative residual of every system
  index_t max_iter = 1000;  // steps of conjugate gradients in all
  bool direct = true;       // factorise where that is cheaper
};

struct Solution {
  std::vector<double> coef;      // n x systems
  std::vector<double> decision;  // K coef on all rows
  double residual = 0;           // the largest relative residual
  index_t iterations = 0;
  bool converged = false;
};

// All responses of all folds, systems ordered by fold and then by response. `gram` holds the Gram
// matrix of x for `kernel`. Conjugate gradients on all systems as one block go first; once they
// have cost as much as factorising would, the factors take over.
Solution solve_refined(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                       const Kernel& kernel, GramMatrix& gram, const Device& device, int threads,
                       const SolveOptions& options, Context& context);

}  // namespace flexkern

#endif
