// Dense operations in steps of a tenth of a second, between which a run can be stopped. What is
// small is done in one step.
#ifndef FLEXKERN_SOLVER_DENSE_STEPS_H
#define FLEXKERN_SOLVER_DENSE_STEPS_H

#include <Eigen/Core>
#include <algorithm>

#include "core/base/context.h"
#include "core/base/view.h"

namespace flexkern {

// Calls run(first, count) for parts of 0 .. count - 1; one of them takes so many operations.
template <typename Function>
void in_steps(index_t count, double operations, Context& context, Function run) {
  constexpr double kStep = 5e8;
  const double most = std::min(kStep / std::max(operations, 1.0), 1e9);
  const index_t width = std::max<index_t>(16, static_cast<index_t>(most));
  for (index_t first = 0; first < count; first += width) {
    context.check();
    run(first, std::min(width, count - first));
  }
}

// A = L L' in the lower triangle; false if A is not positive definite.
bool cholesky_in_place(Eigen::MatrixXd& a, Context& context);
// Of such a factor: (L L')^-1 b, L'^-1, and X L'^-1 in place.
Eigen::VectorXd solve_factored(const Eigen::MatrixXd& factor, Eigen::VectorXd b);
Eigen::MatrixXd inverse_transposed(const Eigen::MatrixXd& factor, Context& context);
void divide_by_transposed(const Eigen::MatrixXd& factor, Eigen::MatrixXd& x, Context& context);

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, Context& context);

// Eigenvalues, rising, and eigenvectors of a symmetric matrix, of which the lower triangle is read.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& a, bool with_vectors, Context& context);

}  // namespace flexkern

#endif
