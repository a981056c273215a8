// Coupled modified Ho-Kashyap classifiers, one in each view's feature space, by the alternating
// updates of reduced multiple empirical kernel learning; with one view, MHKS (Leski 2003).
#ifndef FLEXKERN_SOLVER_MHKS_H
#define FLEXKERN_SOLVER_MHKS_H

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "packed_matrix.h"

namespace flexkern {

struct MhksOptions {
  double rho = 0.99;        // step of the margins
  double start = 1e-6;      // their first value
  double xi = 1e-3;         // change of the objective at which the updates stop
  bool absolute = false;    // that change as it is, or relative to max(1, objective)
  bool exact = false;       // margins at their minimiser instead of a step
  bool sequential = false;  // a view sees the views before it as they are after their update
  index_t max_iter = 500;
};

struct Penalty {
  double c, lambda;
};

struct MhksModel {
  std::vector<Eigen::VectorXd> coef;  // one for each view
  std::vector<double> bias;
  std::vector<double> objective;  // first after the start, then one value an iteration
  bool converged = false;
  Eigen::VectorXd decision;  // mean over the views, on all rows
};

// What the steps need of the views and of the rows that train: sums that all penalties share.
class MhksProblem {
 public:
  // `sign` has -1 and +1; rows of weight 0 do not train.
  MhksProblem(const std::vector<const PackedMatrix*>& views, const Eigen::VectorXd& sign,
              const Eigen::VectorXd& weights, Context& context);
  // The models of several penalties, which advance side by side.
  std::vector<MhksModel> solve(const std::vector<Penalty>& penalties,
                               const MhksOptions& options) const;

 private:
  friend class MhksRun;
  std::vector<const PackedMatrix*> views_;
  Eigen::VectorXd sign_, weights_;
  double total_ = 0;                   // weight
  std::vector<Eigen::VectorXd> mean_;  // of each view's features
  std::vector<Eigen::MatrixXd> gram_;  // of the centered features
  Context& context_;
};

}  // namespace flexkern

#endif
