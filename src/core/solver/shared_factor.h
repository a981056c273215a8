// The systems of several folds from one Cholesky factor of the rows that train in any of them.
//
// Let B = S K S + shift I on these rows and C = B^-1. For b that is zero on the rows f that a fold
// leaves out, the vector u with u_f = 0 and B u = b outside f is u = C (b + E_f z), where E_f fills
// up with zeros and C_ff z = -(C b)_f; z is S_f times the held-out decision values. shift C is a
// contraction, and on the few rows f it is far from singular, so that conjugate gradients find z in
// a few steps. Five folds cost 2.5 times less than with a factor for each.
#ifndef FLEXKERN_SOLVER_SHARED_FACTOR_H
#define FLEXKERN_SOLVER_SHARED_FACTOR_H

#include <memory>
#include <vector>

#include "core/device/device.h"
#include "fold_plan.h"
#include "packed_factor.h"

namespace flexkern {

class SharedFactor {
 public:
  // Serves these folds of the plan.
  SharedFactor(const FoldPlan& plan, std::vector<int> folds, const GramMatrix& gram,
               const Micro& micro, int threads, Context& context);
  // Factors for the kernel that the Gram matrix holds; false if rounding makes the matrix
  // indefinite. The folds' shifts lambda n_f differ by a row or so: their mean is taken.
  bool factor(double lambda);
  // Gives back what only the next factorisation needs.
  void release_workspace() { cholesky_.reset(); }
  // u = (S_f K S_f + shift I)^-1 b for `responses` columns of each fold, one fold after another,
  // columns stride() apart. On the rows that a fold leaves out b holds a first guess of z; its
  // residual falls to `tol` times the first one. u = b is allowed.
  void solve(const float* b, index_t responses, double tol, float* u) const;
  // The same, but on the rows left out u holds z, up to about `tol` times its distance from
  // `target`, which is S y. Only for several folds.
  void predict(const float* b, index_t responses, double tol, const float* target, float* u) const;

 private:
  struct Systems;
  Systems start(const float* b, index_t responses) const;
  void exclude(Systems& systems) const;
  void advance(Systems& systems, index_t c, const float* product) const;
  bool close(const Systems& systems, index_t c, double move) const;
  void scatter(const Systems& systems, bool with_z, float* u) const;

  const FoldPlan& plan_;
  std::vector<int> folds_;
  const GramMatrix& gram_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  std::vector<index_t> rows_;
  std::vector<float> mask_;                     // of rows_
  std::vector<std::vector<index_t>> excluded_;  // positions in rows_, per fold
  std::unique_ptr<Cholesky> cholesky_;
  std::unique_ptr<PackedFactor> factor_;
};

// Groups of folds that share a factor at the least cost, for so many responses and so many steps to
// take the rows of a fold out.
std::vector<std::vector<int>> factor_groups(const FoldPlan& plan, index_t responses, double steps);

// Floating-point operations of a factor for each group.
double factor_cost(const FoldPlan& plan, const std::vector<std::vector<int>>& groups);

}  // namespace flexkern

#endif
