// The systems of a fold plan by factorisation: one Cholesky factor per fold serves all responses.
#ifndef FLEXKERN_SOLVER_DIRECT_H
#define FLEXKERN_SOLVER_DIRECT_H

#include <memory>
#include <vector>

#include "cholesky.h"
#include "core/device/device.h"
#include "fold_plan.h"

namespace flexkern {

// S K S + shift I of one fold on its training rows, factored in single precision.
class FoldFactor {
 public:
  FoldFactor(const Fold& fold, index_t n, const GramMatrix& gram, const Micro& micro, int threads,
             Context& context);
  // False if rounding makes the matrix indefinite.
  bool factor(double shift);
  // u = (S K S + shift I)^-1 b for `cols` columns of stride() rows; u = b is allowed.
  void solve(const float* b, float* u, index_t stride, index_t cols) const;

 private:
  void load();
  const Fold& fold_;
  const GramMatrix& gram_;
  std::vector<index_t> rows_;
  Cholesky cholesky_;
};

// Floating-point operations of one factorisation per fold, and of one product with the Gram matrix
// per system.
double direct_cost(const FoldPlan& plan);
double product_cost(const FoldPlan& plan, index_t systems);

// Cross-validated risk at one penalty for the kernel that `gram` holds; not a number if a
// factorisation fails.
double direct_risk(const FoldPlan& plan, ConstMatrixRef responses, double lambda, const Clip& clip,
                   GramMatrix& gram, const Micro& micro, int threads, Context& context);

}  // namespace flexkern

#endif
