#include "svm2k_system.h"

#include <cmath>

#include "dense_steps.h"

namespace flexkern {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int kSteps = 20;           // of conjugate gradients
constexpr double kResidual = 1e-10;  // relative, at which they stop
constexpr double kRounding = 1e-14;  // of the factor's diagonal

}  // namespace

Svm2kSystem::Columns Svm2kSystem::expansions(const Variables& x) const {
  Columns g(x.rows(), 2);
  Eigen::ArrayXd apart = x.col(2);
  if (x.cols() > 3) apart -= x.col(3);
  g.col(0) = y_ * x.col(0) - apart;
  g.col(1) = y_ * x.col(1) + apart;
  return g;
}

Svm2kSystem::Variables Svm2kSystem::adjoint(const Columns& u, index_t kinds) const {
  Variables out(u.rows(), kinds);
  out.col(0) = y_ * u.col(0).array();
  out.col(1) = y_ * u.col(1).array();
  out.col(2) = (u.col(1) - u.col(0)).array();
  if (kinds > 3) out.col(3) = -out.col(2);
  return out;
}

VectorXd Svm2kSystem::features(const Columns& g) const {
  VectorXd w(z_[0]->cols() + z_[1]->cols());
  w.head(z_[0]->cols()).noalias() = z_[0]->transpose() * g.col(0);
  w.tail(z_[1]->cols()).noalias() = z_[1]->transpose() * g.col(1);
  return w;
}

Svm2kSystem::Columns Svm2kSystem::values(const VectorXd& w) const {
  Columns u(y_.size(), 2);
  u.col(0).noalias() = *z_[0] * w.head(z_[0]->cols());
  u.col(1).noalias() = *z_[1] * w.tail(z_[1]->cols());
  return u;
}

bool Svm2kSystem::factor(const Variables& theta) {
  theta_ = theta;
  const index_t first = z_[0]->cols(), second = z_[1]->cols();
  VectorXd apart = theta.col(2).inverse();
  if (theta.cols() > 3) apart.array() += theta.col(3).inverse();
  factor_.setIdentity(first + second, first + second);
  for (int v = 0; v < 2; ++v) {
    const VectorXd root = (theta.col(v).inverse() + apart.array()).sqrt().matrix();
    add_square(root.asDiagonal() * *z_[v], v * first);
  }
  in_steps(first, 2.0 * static_cast<double>(z_[1]->size()), context_,
           [&](index_t from, index_t count) {
             const MatrixXd scaled = apart.asDiagonal() * z_[0]->middleCols(from, count);
             factor_.block(first, from, second, count).noalias() = -(z_[1]->transpose() * scaled);
           });
  factor_.diagonal() *= 1 + kRounding;
  return cholesky_in_place(factor_, context_);
}

// A'A to the lower triangle of the block that begins at this row and column.
void Svm2kSystem::add_square(const MatrixXd& a, index_t at) {
  const index_t cols = a.cols();
  in_steps(cols, 2.0 * static_cast<double>(a.size()), context_, [&](index_t from, index_t count) {
    const index_t next = from + count, rest = cols - next;
    const auto part = a.middleCols(from, count);
    factor_.block(at + from, at + from, count, count)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(part.transpose());
    factor_.block(at + next, at + from, rest, count).noalias() +=
        a.rightCols(rest).transpose() * part;
  });
}

// theta^-1 r - theta^-1 S'Z (I + Z'S theta^-1 S'Z)^-1 Z'S theta^-1 r.
Svm2kSystem::Variables Svm2kSystem::inverse(const Variables& r) const {
  const VectorXd w = solve_factored(factor_, features(expansions(r / theta_)));
  return (r - adjoint(values(w), r.cols())) / theta_;
}

Svm2kSystem::Variables Svm2kSystem::product(const Variables& d) const {
  return adjoint(values(features(expansions(d))), d.cols()) + theta_ * d;
}

Svm2kSystem::Variables Svm2kSystem::solve(const Variables& r) const {
  Variables d = inverse(r), rest = r - product(d), next = inverse(rest), p = next;
  const double enough = kResidual * kResidual * r.square().sum();
  double square = (rest * next).sum();
  for (int k = 0; k < kSteps && square > 0 && rest.square().sum() > enough; ++k) {
    const Variables q = product(p);
    const double share = square / (p * q).sum();
    if (!std::isfinite(share)) break;
    d += share * p;
    rest -= share * q;
    next = inverse(rest);
    const double after = (rest * next).sum();
    p = next + after / square * p;
    square = after;
  }
  return d;
}

}  // namespace flexkern
