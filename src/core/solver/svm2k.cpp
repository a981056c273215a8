#include "svm2k.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kSteps = 50;  // of conjugate gradients after a sweep

// The dual: with g_A = y a_A - beta and g_B = y a_B + beta, maximise
// -g_A' K_A g_A / 2 - g_B' K_B g_B / 2 + sum(a_A + a_B) - epsilon sum |beta|
// under 0 <= a_v <= C_v, |beta| <= D.
class Ascent {
 public:
  Ascent(const MatrixXd& first, const MatrixXd& second, const VectorXd& sign,
         const VectorXd& weights, const Svm2kOptions& options)
      : k_{&first, &second}, y_(sign), w_(weights), o_(options), n_(sign.size()), beta_(n_) {
    beta_.setZero();
    for (int v = 0; v < 2; ++v) alpha_[v] = g_[v] = u_[v] = VectorXd::Zero(n_);
    trace_ = (first.trace() + second.trace()) / static_cast<double>(std::max<index_t>(n_, 1));
  }

  Svm2kModel run(Context& context) {
    Svm2kModel model;
    for (index_t round = 0; round < o_.max_iter && !model.converged; ++round) {
      for (index_t i = 0; i < n_; ++i) {
        if (i % 64 == 0) context.check();
        for (int kind = 0; kind < 3; ++kind) take(kind, i, best_step(kind, i));
      }
      context.check();
      climb_face();
      const double primal = primal_value(), dual = dual_value();
      model.objective.push_back(dual);
      model.converged = primal - dual <= o_.tol * std::max(std::abs(primal), 1e-12);
    }
    model.decision = (u_[0] + u_[1]) / 2;
    for (int v = 0; v < 2; ++v) model.coef[v] = g_[v];
    return model;
  }

 private:
  double entry(int v, index_t i) const { return (*k_[v])(i, i); }

  // The change of alpha_v, i (kind 0 and 1) or of beta_i (kind 2) that is best alone.
  double best_step(int kind, index_t i) const {
    if (kind < 2) {
      const double h = entry(kind, i), a = alpha_[kind][i];
      if (!(h > 0)) return w_[i] * o_.cost[kind] - a;
      const double wanted = a + (1 - y_[i] * u_[kind][i]) / h;
      return std::min(std::max(wanted, 0.0), o_.cost[kind] * w_[i]) - a;
    }
    const double h = entry(0, i) + entry(1, i), bound = o_.agreement * w_[i];
    if (!(h > 0)) return 0;
    const double wanted = beta_[i] + (u_[0][i] - u_[1][i]) / h;
    const double shrunk = std::max(std::abs(wanted) - o_.epsilon / h, 0.0);
    return std::copysign(std::min(shrunk, bound), wanted) - beta_[i];
  }

  void take(int kind, index_t i, double step) {
    if (step == 0) return;
    if (kind < 2) {
      alpha_[kind][i] += step;
      shift(kind, i, y_[i] * step);
    } else {
      beta_[i] += step;
      shift(0, i, -step);
      shift(1, i, step);
    }
  }

  void shift(int v, index_t i, double step) {
    g_[v][i] += step;
    u_[v] += step * k_[v]->col(i);
  }

  // The variables in one vector: both alpha, then beta.
  VectorXd variables() const {
    VectorXd z(3 * n_);
    z << alpha_[0], alpha_[1], beta_;
    return z;
  }

  void set_variables(const VectorXd& z) {
    for (int v = 0; v < 2; ++v) alpha_[v] = z.segment(v * n_, n_);
    beta_ = z.tail(n_);
    const auto g = expansions(z);
    for (int v = 0; v < 2; ++v) {
      g_[v] = g.col(v);
      u_[v].noalias() = *k_[v] * g_[v];
    }
  }

  // g_A and g_B, linear in the variables.
  Eigen::Matrix<double, Eigen::Dynamic, 2> expansions(const VectorXd& z) const {
    Eigen::Matrix<double, Eigen::Dynamic, 2> g(n_, 2);
    g.col(0) = y_.cwiseProduct(z.head(n_)) - z.tail(n_);
    g.col(1) = y_.cwiseProduct(z.segment(n_, n_)) + z.tail(n_);
    return g;
  }

  VectorXd times_hessian(const VectorXd& p) const {
    const auto g = expansions(p);
    const VectorXd first = *k_[0] * g.col(0), second = *k_[1] * g.col(1);
    VectorXd out(3 * n_);
    out << y_.cwiseProduct(first), y_.cwiseProduct(second), second - first;
    return out;
  }

  VectorXd gradient() const {
    VectorXd out(3 * n_);
    out << (1 - y_.array() * u_[0].array()).matrix(), (1 - y_.array() * u_[1].array()).matrix(),
        u_[0] - u_[1] - o_.epsilon * beta_.array().sign().matrix();
    return out;
  }

  // The bounds of the face on which the objective is one quadratic.
  void bounds(VectorXd& low, VectorXd& high) const {
    low = VectorXd::Zero(3 * n_);
    high.resize(3 * n_);
    high << o_.cost[0] * w_, o_.cost[1] * w_, o_.agreement * w_;
    for (index_t i = 0; i < n_; ++i) {
      if (o_.epsilon == 0 || beta_[i] < 0) low[2 * n_ + i] = -high[2 * n_ + i];
      if (o_.epsilon > 0 && beta_[i] <= 0) high[2 * n_ + i] = 0;
    }
  }

  // Conjugate gradients on the variables between their bounds, then the projected step or a part of
  // it that gains.
  void climb_face() {
    VectorXd low, high;
    bounds(low, high);
    const VectorXd z = variables();
    const VectorXd inside =
        (z.array() > low.array() && z.array() < high.array()).cast<double>().matrix();
    const VectorXd p = face_step(inside);
    if (p.squaredNorm() == 0) return;
    const double before = dual_value();
    for (double share = 1; share > 1e-4; share /= 4) {
      set_variables((z + share * p).cwiseMax(low).cwiseMin(high));
      if (dual_value() > before) return;
    }
    set_variables(z);
  }

  VectorXd face_step(const VectorXd& inside) const {
    VectorXd p = VectorXd::Zero(3 * n_), r = inside.cwiseProduct(gradient()), q = r;
    double square = r.squaredNorm();
    const double enough = 1e-8 * square;
    for (int k = 0; k < kSteps && square > enough; ++k) {
      const VectorXd h = inside.cwiseProduct(times_hessian(q));
      const double curvature = q.dot(h);
      if (!(curvature > 1e-14 * q.squaredNorm() * trace_)) break;
      p += square / curvature * q;
      r -= square / curvature * h;
      const double next = r.squaredNorm();
      q = r + next / square * q;
      square = next;
    }
    return p;
  }

  double square() const { return (g_[0].dot(u_[0]) + g_[1].dot(u_[1])) / 2; }

  double dual_value() const {
    return alpha_[0].sum() + alpha_[1].sum() - o_.epsilon * beta_.cwiseAbs().sum() - square();
  }

  double primal_value() const {
    double sum = square();
    for (index_t i = 0; i < n_; ++i) {
      double slack = o_.agreement * std::max(std::abs(u_[0][i] - u_[1][i]) - o_.epsilon, 0.0);
      for (int v = 0; v < 2; ++v) slack += o_.cost[v] * std::max(1 - y_[i] * u_[v][i], 0.0);
      sum += w_[i] * slack;
    }
    return sum;
  }

  const MatrixXd* k_[2];
  const VectorXd &y_, &w_;
  const Svm2kOptions& o_;
  index_t n_;
  VectorXd alpha_[2], g_[2], u_[2], beta_;
  double trace_ = 0;  // a mean diagonal entry
};

}  // namespace

Svm2kModel solve_svm2k(const MatrixXd& first, const MatrixXd& second, const VectorXd& sign,
                       const VectorXd& weights, const Svm2kOptions& options, Context& context) {
  return Ascent(first, second, sign, weights, options).run(context);
}

}  // namespace flexkern
