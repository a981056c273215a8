// The active columns of a path in double precision, and the Cholesky factor R'R of their Gram
// matrix, updated when a column enters or leaves.
#ifndef FLEXKERN_SOLVER_ACTIVE_SET_H
#define FLEXKERN_SOLVER_ACTIVE_SET_H

#include <vector>

#include "core/base/view.h"

namespace flexkern {

class ActiveSet {
 public:
  // Without a factor nothing can be solved, and every column is accepted.
  explicit ActiveSet(index_t rows, bool factored = true) : n_(rows), factored_(factored) {}
  index_t size() const { return static_cast<index_t>(sources_.size()); }
  index_t source(index_t k) const { return sources_[static_cast<std::size_t>(k)]; }
  const double* column(index_t k) const { return columns_.data() + k * n_; }

  // False, and nothing is added, if the column lies in the span of the others: its part outside has
  // less than `tol` of its squared length.
  bool append(index_t source, const double* column, double tol);
  void remove(index_t k);
  // The squared length of a column's part outside the span of the others.
  double outside(const double* column) const;
  // The unit vector that the latest column added to the span.
  const std::vector<double>& last_direction() const { return direction_; }

  void solve(const std::vector<double>& b, std::vector<double>& x) const;  // x = G^-1 b
  void solve_least_squares(const std::vector<double>& y, std::vector<double>& beta) const;
  void combine(const std::vector<double>& w, double* u) const;         // u = Z_A w
  void correlations(const double* v, std::vector<double>& out) const;  // Z_A' v

 private:
  double* factor(index_t k) { return factor_.data() + k * capacity_; }
  const double* factor(index_t k) const { return factor_.data() + k * capacity_; }
  bool extend_factor(const double* column, double tol);
  double split(const double* column, std::vector<double>& r, std::vector<double>& outside) const;
  void grow();
  void forward(std::vector<double>& x) const;
  void backward(std::vector<double>& x) const;
  void rotate(index_t k);

  index_t n_, capacity_ = 0;
  bool factored_;
  std::vector<index_t> sources_;
  std::vector<double> direction_, columns_, factor_;  // factor_: column k holds R(0..k, k)
};

}  // namespace flexkern

#endif
