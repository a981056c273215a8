// Two-view support vector machines that are held to agree (SVM-2K, Farquhar et al. 2005): the dual
// by Mehrotra's interior point method. With the biases as constant features it is a box-constrained
// problem; biases that cost nothing add a sum for each view that must be 0.
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
  bool free_bias = false;   // else the kernels hold a constant
  double tol = 1e-3;        // of the gap, as a share of the primal objective
  index_t max_iter = 100;
};

struct Svm2kModel {
  Eigen::VectorXd coef[2];        // of the kernel columns; f = K coef + bias
  double bias[2] = {0, 0};        // 0 unless free
  std::vector<double> objective;  // of the dual, at each iteration
  bool converged = false;
};

// `first` and `second` are factors Z of the kernel matrices, Z Z'. All weights are positive.
Svm2kModel solve_svm2k(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second,
                       const Eigen::VectorXd& sign, const Eigen::VectorXd& weights,
                       const Svm2kOptions& options, Context& context);

}  // namespace flexkern

#endif
