// Cross-validated risks by factorisation.
#ifndef FLEXKERN_SOLVER_FACTOR_RISK_H
#define FLEXKERN_SOLVER_FACTOR_RISK_H

#include "shared_factor.h"

namespace flexkern {

// The weighted mean squared error of held-out decision values, which come in blocks of all systems.
double validation_risk(const FoldPlan& plan, ConstMatrixRef responses, const Clip& clip,
                       const float* decision);

class FactorRisk {
 public:
  // Held-out predictions are found up to `tol` times the residuals.
  FactorRisk(const FoldPlan& plan, ConstMatrixRef responses, const Clip& clip, GramMatrix& gram,
             const Micro& micro, int threads, Context& context, double tol);
  // The risk at one penalty for the kernel that the Gram matrix holds; not a number if a
  // factorisation fails. Held-out predictions of one call are where the next one starts from.
  double operator()(double lambda);

 private:
  bool together() const { return groups_.size() < plan_.folds.size(); }
  bool predict_together(double lambda);
  bool predict_apart(double lambda);

  const FoldPlan& plan_;
  ConstMatrixRef responses_;
  Clip clip_;
  GramMatrix& gram_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  double tol_;
  std::vector<std::vector<int>> groups_;
  std::unique_ptr<SharedFactor> factor_;
  // Blocks of all systems: S y; the same with predictions of held-out rows; what comes out.
  Buffer<float> target_, guess_, out_;
};

}  // namespace flexkern

#endif
