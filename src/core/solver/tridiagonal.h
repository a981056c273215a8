// Shifted symmetric tridiagonal least-squares problems.
#ifndef FLEXKERN_SOLVER_TRIDIAGONAL_H
#define FLEXKERN_SOLVER_TRIDIAGONAL_H

#include <cmath>
#include <vector>

namespace flexkern {

// z minimises |norm e_1 - H z| for the (t + 1) x t matrix H = (T + shift I; beta_t e_t'), T with
// diagonal alpha_1..t and off-diagonal beta_1..t-1, by Givens rotations (MINRES, Paige and Saunders
// 1975). Returns the minimum relative to norm. Unlike the Galerkin solution, z behaves well before
// convergence.
inline double solve_shifted(const std::vector<double>& alpha, const std::vector<double>& beta,
                            double shift, double norm, std::vector<double>& z) {
  const std::size_t t = alpha.size();
  std::vector<double> diagonal(t), first(t + 1, 0.0), second(t + 2, 0.0);
  double cosine = 1, sine = 0, cosine_before = 1, sine_before = 0, rest = norm;
  for (std::size_t j = 0; j < t; ++j) {
    const double above = j > 0 ? beta[j - 1] : 0;
    second[j] = sine_before * above;
    const double rotated = cosine_before * above;
    first[j] = cosine * rotated + sine * (alpha[j] + shift);
    const double pivot = cosine * (alpha[j] + shift) - sine * rotated;
    diagonal[j] = std::hypot(pivot, beta[j]);
    cosine_before = cosine;
    sine_before = sine;
    cosine = diagonal[j] > 0 ? pivot / diagonal[j] : 1;
    sine = diagonal[j] > 0 ? beta[j] / diagonal[j] : 0;
    z[j] = cosine * rest;
    rest *= -sine;
  }
  for (std::size_t j = t; j-- > 0;) {
    if (j + 1 < t) z[j] -= first[j + 1] * z[j + 1];
    if (j + 2 < t) z[j] -= second[j + 2] * z[j + 2];
    z[j] = diagonal[j] > 0 ? z[j] / diagonal[j] : 0;
  }
  return std::fabs(rest) / norm;
}

}  // namespace flexkern

#endif
