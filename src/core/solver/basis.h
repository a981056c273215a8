// Rows whose images under a kernel span those of all rows.
#ifndef FLEXKERN_SOLVER_BASIS_H
#define FLEXKERN_SOLVER_BASIS_H

#include <Eigen/Core>
#include <vector>

#include "core/base/context.h"
#include "core/base/rng.h"
#include "view_gram.h"

namespace flexkern {

// The columns in which Gaussian elimination with row pivoting finds a pivot above `tol`; at most
// `most` of them. Destroys the matrix.
std::vector<index_t> eliminate(Eigen::MatrixXd& a, double tol, index_t most, Context& context);

// K ~ L L', L = factor: Cholesky that takes as pivot what is farthest from the span so far, while
// its squared distance is above tol times the largest diagonal entry. Needs the columns of the
// pivots only.
struct CholeskyBasis {
  std::vector<index_t> pivots;
  Eigen::MatrixXd factor;
  double largest = 0;  // diagonal entry of K
  double lowest = 0;   // entry of the diagonal of K - L L'; clearly negative if K is indefinite

  // In units of the largest entry, beyond what rounding explains.
  bool is_indefinite() const { return lowest < -1e-9 * largest; }
};
CholeskyBasis greedy_cholesky(const ViewGram& gram, double tol, index_t most, int threads,
                              Context& context);

// Random descending (Harmeling et al. 2003): r rows at random, r falling from `start`, until their
// Gram matrix has full rank.
struct RandomBasis {
  std::vector<index_t> rows;
  bool indefinite = false;  // one of these matrices has a clearly negative eigenvalue
};
RandomBasis random_descent(const ViewGram& gram, double tol, index_t start, Rng rng,
                           Context& context);

}  // namespace flexkern

#endif
