// The linear systems of one view, (s Z'WZ + c I) w = r with Z the centered features, for many pairs
// of s and c.
#ifndef FLEXKERN_SOLVER_RIDGE_VIEW_H
#define FLEXKERN_SOLVER_RIDGE_VIEW_H

#include <memory>
#include <vector>

#include "packed_matrix.h"

namespace flexkern {

struct Ridge {
  double scale, shift;  // s and c
};

// A few systems get a Cholesky factor each. Many share one eigendecomposition: the features are
// turned to the eigenvectors, where all systems are diagonal.
class RidgeView {
 public:
  RidgeView(const PackedMatrix& view, const Eigen::MatrixXd& gram, const std::vector<Ridge>& ridges,
            Context& context);
  // In these all vectors below are meant.
  const PackedMatrix& features() const { return turned_ ? *turned_ : view_; }
  Eigen::VectorXd turned(const Eigen::VectorXd& v) const;    // from the view's features
  Eigen::VectorXd restored(const Eigen::VectorXd& v) const;  // and back
  // Column k of the right sides belongs to the system which[k].
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right, const std::vector<std::size_t>& which) const;

 private:
  bool factor(const Eigen::MatrixXd& gram, Context& context);

  const PackedMatrix& view_;
  std::vector<Ridge> ridges_;
  std::vector<Eigen::MatrixXd> factors_;  // in the lower triangle
  std::unique_ptr<PackedMatrix> turned_;
  Eigen::MatrixXd vectors_;
  Eigen::VectorXd values_;
};

}  // namespace flexkern

#endif
