// The linear systems of one view, (s Z'WZ + c I) w = r with Z the centered features, for many pairs
// of s and c.
#ifndef FLEXKERN_SOLVER_RIDGE_VIEW_H
#define FLEXKERN_SOLVER_RIDGE_VIEW_H

#include <Eigen/Cholesky>
#include <memory>
#include <vector>

#include "packed_matrix.h"

namespace flexkern {

struct Ridge {
  double scale, shift;  // s and c
};

// A few systems get a Cholesky factor each; many share one eigendecomposition.
class RidgeView {
 public:
  RidgeView(const Eigen::MatrixXd& gram, const std::vector<Ridge>& ridges, const Micro& micro,
            int threads, Context& context);
  // Column k of the right sides belongs to the system which[k].
  Eigen::MatrixXd solve(const Eigen::MatrixXd& right, const std::vector<std::size_t>& which) const;

 private:
  bool factor(const Eigen::MatrixXd& gram);

  std::vector<Ridge> ridges_;
  std::vector<Eigen::LLT<Eigen::MatrixXd>> factors_;
  std::unique_ptr<PackedMatrix> vectors_;
  Eigen::VectorXd values_;
};

}  // namespace flexkern

#endif
