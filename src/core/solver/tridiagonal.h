// Shifted symmetric tridiagonal systems.
#ifndef FLEXKERN_SOLVER_TRIDIAGONAL_H
#define FLEXKERN_SOLVER_TRIDIAGONAL_H

#include <cmath>
#include <vector>

namespace flexkern {

// Solves (T + shift I) z = norm e_1 by elimination, T with diagonal alpha_1..t and off-diagonal
// beta_1..t-1. T is positive semi-definite up to rounding, so a pivot below half the shift is
// rounding and is raised to that.
inline void solve_shifted(const std::vector<double>& alpha, const std::vector<double>& beta,
                          double shift, double norm, std::vector<double>& z) {
  const std::size_t t = alpha.size();
  std::vector<double> pivot(t);
  const auto guarded = [shift](double p) { return p > 0.5 * shift ? p : 0.5 * shift; };
  pivot[0] = guarded(alpha[0] + shift);
  z[0] = norm;
  for (std::size_t j = 1; j < t; ++j) {
    const double ratio = beta[j - 1] / pivot[j - 1];
    pivot[j] = guarded(alpha[j] + shift - ratio * beta[j - 1]);
    z[j] = -ratio * z[j - 1];
  }
  z[t - 1] /= pivot[t - 1];
  for (std::size_t j = t - 1; j-- > 0;) z[j] = (z[j] - beta[j] * z[j + 1]) / pivot[j];
}

}  // namespace flexkern

#endif
