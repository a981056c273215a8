// The orthonormal map of a kernel onto the span of basis rows: Psi(x) = T' (k(x, v_1), ..., k(x,
// v_m)), so that Psi(x)' Psi(z) = k(x, z) within the span.
#ifndef FLEXKERN_SOLVER_EMPIRICAL_MAP_H
#define FLEXKERN_SOLVER_EMPIRICAL_MAP_H

#include <Eigen/Core>
#include <vector>

#include "basis.h"

namespace flexkern {

struct BasisOptions {
  enum class Rule { elimination, cholesky, random, full };
  Rule rule = Rule::elimination;
  bool symmetric = false;  // T = K_SS^-1/2 instead of a Cholesky factor's, a rotation of it
  // Of the largest row sum (elimination), the largest diagonal entry (cholesky) or the largest
  // eigenvalue (random, full); 0 means as many units in the last place as there are rows.
  double tol = 0;
  index_t max_rank = 0;     // 0: no bound
  index_t known_bound = 0;  // of the rank, by the kernel's form; 0: none
};

struct EmpiricalMap {
  std::vector<index_t> basis;  // rows, rising
  Eigen::MatrixXd transform;   // T
  Eigen::MatrixXd features;    // Psi of all rows, one a row
  index_t rank = 0;            // as the rule found it
  bool indefinite = false;     // the kernel has clearly negative directions, which are left out
};

EmpiricalMap empirical_map(const ViewGram& gram, const BasisOptions& options, Rng rng, int threads,
                           Context& context);

}  // namespace flexkern

#endif
