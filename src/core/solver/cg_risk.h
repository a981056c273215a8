// Cross-validated risks of single pairs for cells that are too large for factorisations and for a
// Krylov space per gamma.
#ifndef FLEXKERN_SOLVER_CG_RISK_H
#define FLEXKERN_SOLVER_CG_RISK_H

#include <limits>
#include <memory>

#include "low_rank.h"
#include "search.h"

namespace flexkern {

// All folds and responses by preconditioned conjugate gradients, as one block. Neighbouring pairs
// of one gamma share the Gram matrix and the preconditioner.
class CgRisk {
 public:
  // `expected` is a risk about as large as those that will be compared.
  CgRisk(const SearchTask& task, double expected);
  double operator()(double gamma, double lambda);

 private:
  void set_pair(double gamma, double lambda);
  const SearchTask& task_;
  double reduction_;
  double gamma_ = std::numeric_limits<double>::quiet_NaN();
  std::unique_ptr<LowRank> preconditioner_;
};

}  // namespace flexkern

#endif
