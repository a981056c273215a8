// Two-view support vector machines that are held to agree (SVM-2K, Farquhar et al. 2005), with the
// biases as constant features: the dual, a box-constrained problem, by coordinate ascent
// with steps of conjugate gradients on the face of the box that it has found.
#ifndef FLEXKERN_SOLVER_SVM2K_H
#define FLEXKERN_SOLVER_SVM2K_H

#include <Eigen/Core>
#include <vector>

#include "core/base/context.h"
#include "core/base/view.h"

namespace flexkern {

struct Svm2kOptions {
  double cost[2] = {1, 1};  // of the slacks of each view
  double agreement = 1;     // D, of disagreement
  double epsilon = 0;       // that is free
  double tol = 1e-3;        // of the gap, as a share of the primal objective
  index_t max_iter = 1000;  // sweeps
};

struct Svm2kModel {
  Eigen::VectorXd coef[2];        // of the kernel columns; f = K coef + sum(coef)
  std::vector<double> objective;  // of the dual, after each sweep
  bool converged = false;
  Eigen::VectorXd decision;  // mean of both views, on all rows
};

// `gram`: the kernel matrices plus 1; rows of weight 0 do not train.
Svm2kModel solve_svm2k(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second,
                       const Eigen::VectorXd& sign, const Eigen::VectorXd& weights,
                       const Svm2kOptions& options, Context& context);

}  // namespace flexkern

#endif
