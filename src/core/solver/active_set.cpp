#include "active_set.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;

}  // namespace

bool ActiveSet::append(index_t source, const double* column, double tol) {
  if (factored_ && !extend_factor(column, tol)) return false;
  columns_.insert(columns_.end(), column, column + n_);
  sources_.push_back(source);
  return true;
}

bool ActiveSet::extend_factor(const double* column, double tol) {
  if (size() == capacity_) grow();
  const index_t k = size();
  std::vector<double> r;
  const double pivot = split(column, r, direction_);
  if (!(pivot > tol * ConstVector(column, n_).squaredNorm())) return false;
  std::copy(r.begin(), r.end(), factor(k));
  factor(k)[k] = std::sqrt(pivot);
  Vector(direction_.data(), n_) /= factor(k)[k];
  return true;
}

double ActiveSet::outside(const double* column) const {
  std::vector<double> r, rest;
  return split(column, r, rest);
}

// R'^-1 Z_A' z, the part of z outside the span, and its squared length: from the vectors
// themselves, since the difference of squares would lose half of the digits.
double ActiveSet::split(const double* column, std::vector<double>& r,
                        std::vector<double>& outside) const {
  r.resize(static_cast<std::size_t>(size()));
  correlations(column, r);
  forward(r);
  std::vector<double> w = r;
  backward(w);
  outside.resize(static_cast<std::size_t>(n_));
  combine(w, outside.data());
  Vector rest(outside.data(), n_);
  rest = ConstVector(column, n_) - rest;
  return rest.squaredNorm();
}

void ActiveSet::grow() {
  const index_t larger = std::max<index_t>(32, 2 * capacity_);
  std::vector<double> copy(static_cast<std::size_t>(larger * larger), 0.0);
  for (index_t k = 0; k < size(); ++k) std::copy_n(factor(k), k + 1, copy.begin() + k * larger);
  factor_.swap(copy);
  capacity_ = larger;
}

// Without column k the columns behind it hold one value below the diagonal each; rotations of
// neighbouring rows take it away.
void ActiveSet::remove(index_t k) {
  const index_t last = size() - 1;
  columns_.erase(columns_.begin() + k * n_, columns_.begin() + (k + 1) * n_);
  sources_.erase(sources_.begin() + k);
  for (index_t j = k; j < last; ++j) {
    std::copy_n(factor(j + 1), j + 2, factor(j));
  }
  for (index_t i = k; i < last; ++i) rotate(i);
}

void ActiveSet::rotate(index_t i) {
  double* pivot = factor(i);
  const double length = std::hypot(pivot[i], pivot[i + 1]);
  const double c = pivot[i] / length, s = pivot[i + 1] / length;
  pivot[i] = length;
  for (index_t j = i + 1; j < size(); ++j) {
    double* f = factor(j);
    const double above = f[i], below = f[i + 1];
    f[i] = c * above + s * below;
    f[i + 1] = c * below - s * above;
  }
}

void ActiveSet::forward(std::vector<double>& x) const {
  for (index_t k = 0; k < size(); ++k) {
    const double sum = ConstVector(factor(k), k).dot(ConstVector(x.data(), k));
    x[static_cast<std::size_t>(k)] = (x[static_cast<std::size_t>(k)] - sum) / factor(k)[k];
  }
}

void ActiveSet::backward(std::vector<double>& x) const {
  for (index_t k = size(); k-- > 0;) {
    const double value = x[static_cast<std::size_t>(k)] / factor(k)[k];
    x[static_cast<std::size_t>(k)] = value;
    Vector(x.data(), k) -= value * ConstVector(factor(k), k);
  }
}

// One step of refinement: the residual of the normal equations from the columns themselves.
void ActiveSet::solve(const std::vector<double>& b, std::vector<double>& x) const {
  x = b;
  forward(x);
  backward(x);
  std::vector<double> u(static_cast<std::size_t>(n_)), rest(b.size());
  combine(x, u.data());
  correlations(u.data(), rest);
  for (std::size_t k = 0; k < b.size(); ++k) rest[k] = b[k] - rest[k];
  forward(rest);
  backward(rest);
  for (std::size_t k = 0; k < b.size(); ++k) x[k] += rest[k];
}

void ActiveSet::solve_least_squares(const std::vector<double>& y, std::vector<double>& beta) const {
  std::vector<double> target(static_cast<std::size_t>(size()));
  correlations(y.data(), target);
  solve(target, beta);
}

void ActiveSet::combine(const std::vector<double>& w, double* u) const {
  Vector(u, n_).noalias() =
      ConstMatrix(columns_.data(), n_, size()) * ConstVector(w.data(), size());
}

void ActiveSet::correlations(const double* v, std::vector<double>& out) const {
  Vector(out.data(), size()).noalias() =
      ConstMatrix(columns_.data(), n_, size()).transpose() * ConstVector(v, n_);
}

}  // namespace flexkern
