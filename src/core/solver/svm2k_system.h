// Newton's systems in the dual of SVM-2K. A row has a variable for the hinge loss of each view and
// one for disagreement, or two, one for each sign; they are the columns of an array. With S the map
// from variables to the expansion coefficients of both views and K = Z Z', the system is
// (S' Z Z' S + diag(theta)) d = r.
#ifndef FLEXKERN_SOLVER_SVM2K_SYSTEM_H
#define FLEXKERN_SOLVER_SVM2K_SYSTEM_H

#include <Eigen/Core>

#include "core/base/context.h"
#include "core/base/view.h"

namespace flexkern {

class Svm2kSystem {
 public:
  using Variables = Eigen::ArrayXXd;
  using Columns = Eigen::Matrix<double, Eigen::Dynamic, 2>;  // one for each view

  Svm2kSystem(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second,
              const Eigen::VectorXd& sign, Context& context)
      : z_{&first, &second}, y_(sign.array()), context_(context) {}

  Columns expansions(const Variables& x) const;              // S x
  Variables adjoint(const Columns& u, index_t kinds) const;  // S' u
  Eigen::VectorXd features(const Columns& g) const;          // Z' g
  Columns values(const Eigen::VectorXd& w) const;            // Z w

  // By Woodbury's identity a system in the features. False where rounding makes it indefinite.
  bool factor(const Variables& theta);
  // Where theta is small the identity loses its digits: conjugate gradients bring them back.
  Variables solve(const Variables& r) const;

 private:
  void add_square(const Eigen::MatrixXd& a, index_t at);
  Variables inverse(const Variables& r) const;
  Variables product(const Variables& d) const;

  const Eigen::MatrixXd* z_[2];
  Eigen::ArrayXd y_;
  Variables theta_;
  Eigen::MatrixXd factor_;  // of I + Z' S diag(1 / theta) S' Z, in the lower triangle
  Context& context_;
};

}  // namespace flexkern

#endif
