// The systems of all folds at one penalty, by a low-rank factor.
#ifndef FLEXKERN_SOLVER_LOW_RANK_SYSTEMS_H
#define FLEXKERN_SOLVER_LOW_RANK_SYSTEMS_H

#include <vector>

#include "block_cg.h"

namespace flexkern {

// Held-out risks from a low-rank factor: its own solution where what it leaves of the Gram matrix
// cannot matter, and otherwise conjugate gradients from there on.
class LowRankSystems {
 public:
  LowRankSystems(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram,
                 const Micro& micro, LowRank& low_rank, double lambda, int threads,
                 Context& context);
  // Leaves the decision values of all systems; false if so many steps do not solve them.
  bool solve(index_t most);
  // The weighted mean squared error of the clipped held-out ones.
  double risk(const Clip& clip) const;

  // What a low-rank factor may leave of the trace, as a share of the shift, for its solution to
  // stand for the exact one. The largest eigenvalue, which matters, is a small part of the trace.
  static constexpr double kExact = 0.02;
  // Residual of conjugate gradients relative to the error of the fit.
  static constexpr double kReduction = 1e-3;

 private:
  bool exact() const;
  void take_dual();
  double update_residuals();
  index_t start(std::size_t s) const { return static_cast<index_t>(s) * plan_.stride; }
  double target(std::size_t s, index_t i) const {
    return responses_(i, static_cast<index_t>(s) % responses_.cols());
  }

  const FoldPlan& plan_;
  ConstMatrixRef responses_;
  GramMatrix& gram_;
  const Micro& micro_;
  LowRank& low_rank_;
  int threads_;
  Context& context_;
  std::vector<CgColumn> columns_;
  Buffer<float> u_, residual_, product_;
  Buffer<double> decision_;
};

}  // namespace flexkern

#endif
