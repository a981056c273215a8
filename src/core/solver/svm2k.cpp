#include "svm2k.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "svm2k_system.h"

namespace flexkern {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Variables = Svm2kSystem::Variables;

constexpr double kShort = 0.99;    // of the way to the nearest bound
constexpr index_t kPatience = 10;  // iterations without a smaller gap: rounding allows no better

// The largest step at most 1 that leaves `at` positive.
double longest(const Variables& at, const Variables& step) {
  double out = 1;
  for (index_t j = 0; j < at.cols(); ++j)
    for (index_t i = 0; i < at.rows(); ++i)
      if (step(i, j) < 0) out = std::min(out, -at(i, j) / step(i, j));
  return out;
}

// The dual: with g_A = y a_A - beta and g_B = y a_B + beta, maximise
// -g_A' K_A g_A / 2 - g_B' K_B g_B / 2 + sum(a_A + a_B) - epsilon sum |beta|
// under 0 <= a_v <= C_v, |beta| <= D and, with free biases, sum(g_v) = 0, whose multipliers they
// are. With epsilon > 0, beta is the difference of its parts. All iterates keep the sums at 0.
class InteriorPoint {
 public:
  InteriorPoint(const MatrixXd& first, const MatrixXd& second, const VectorXd& sign,
                const VectorXd& weights, const Svm2kOptions& options, Context& context)
      : system_(first, second, sign, context), y_(sign.array()), w_(weights.array()), o_(options) {
    const index_t n = sign.size(), kinds = o_.epsilon > 0 ? 4 : 3;
    linear_ = Variables::Constant(n, kinds, -o_.epsilon);
    linear_.leftCols(2) = 1;
    above_.resize(n, kinds);
    below_.resize(n, kinds);
    const ArrayXd share = first_share();
    for (int v = 0; v < 2; ++v) {
      below_.col(v) = o_.cost[v] * share * w_;
      above_.col(v) = o_.cost[v] * w_ - below_.col(v);
    }
    for (index_t k = 2; k < kinds; ++k)
      below_.col(k) = above_.col(k) = o_.agreement / (kinds == 3 ? 1 : 2) * w_;
    x_ = below_;
    if (kinds == 3) x_.col(2) = 0;
    price_below_ = price_above_ = Variables::Ones(n, kinds);
  }

  Svm2kModel run(Context& context) {
    Svm2kModel model;
    if (o_.free_bias && std::abs(y_.sum()) == static_cast<double>(y_.size()))
      return constant(model);
    double best = std::numeric_limits<double>::infinity();
    for (index_t round = 0, last = 0; round < o_.max_iter && round - last < kPatience; ++round) {
      context.check();
      const double gap = measure(model);
      if (gap < best) {
        best = gap;
        last = round;
        for (int v = 0; v < 2; ++v) {
          model.coef[v] = g_.col(v);
          model.bias[v] = bias_[v];
        }
      }
      model.converged = best <= o_.tol;
      if (model.converged || !advance()) break;
    }
    return model;
  }

 private:
  struct Step {
    Variables x, below, above;  // of the variables and of the prices
    Eigen::Vector2d bias = Eigen::Vector2d::Zero();
  };

  // Where a_v starts between 0 and C_v: halfway, or both classes with the same sum.
  ArrayXd first_share() const {
    if (!o_.free_bias) return ArrayXd::Constant(y_.size(), 0.5);
    const double positive = (y_ > 0).select(w_, 0.0).sum(), negative = w_.sum() - positive;
    const double less = std::min(positive, negative) / 2;
    return (y_ > 0).select(ArrayXd::Constant(y_.size(), less / std::max(positive, 1e-300)),
                           less / std::max(negative, 1e-300));
  }

  // One class: its sign, for nothing.
  Svm2kModel constant(Svm2kModel& model) const {
    for (int v = 0; v < 2; ++v) {
      model.coef[v] = VectorXd::Zero(y_.size());
      model.bias[v] = y_[0];
    }
    model.objective.push_back(0);
    model.converged = true;
    return model;
  }

  // Notes the dual value; the gap as a share of the primal value.
  double measure(Svm2kModel& model) {
    g_ = system_.expansions(x_);
    const VectorXd w = system_.features(g_);
    u_ = system_.values(w);
    for (int v = 0; v < 2; ++v) u_.col(v).array() += bias_[v];
    const double square = w.squaredNorm() / 2, dual = (linear_ * x_).sum() - square;
    const ArrayXd apart = (u_.col(0) - u_.col(1)).array().abs() - o_.epsilon;
    ArrayXd slack = o_.agreement * apart.max(0.0);
    for (int v = 0; v < 2; ++v) slack += o_.cost[v] * (1 - y_ * u_.col(v).array()).max(0.0);
    const double primal = square + (w_ * slack).sum();
    model.objective.push_back(dual);
    return (primal - dual) / std::max(primal, 1e-12);
  }

  // Mehrotra's predictor and corrector.
  bool advance() {
    if (!system_.factor(price_below_ / below_ + price_above_ / above_)) return false;
    if (o_.free_bias) balance();
    const double entries = 2.0 * static_cast<double>(x_.size());
    const double mu = ((price_below_ * below_).sum() + (price_above_ * above_).sum()) / entries;
    const Step guess = direction(-price_below_ * below_, -price_above_ * above_);
    const double share = complementarity(length(guess), guess) / entries / mu;
    const double target = mu * share * share * share;
    const Step step = direction(target - price_below_ * below_ - guess.x * guess.below,
                                target - price_above_ * above_ + guess.x * guess.above);
    const double t = kShort * length(step);
    if (!(t > 0) || !step.x.allFinite()) return false;
    x_ += t * step.x;
    bias_ += t * step.bias;
    below_ += t * step.x;
    above_ -= t * step.x;
    price_below_ += t * step.below;
    price_above_ += t * step.above;
    return true;
  }

  // Newton's step to the prices whose products with the distances change by these amounts.
  Step direction(const Variables& below, const Variables& above) const {
    const Variables slope = linear_ - system_.adjoint(u_, x_.cols()) + price_below_ - price_above_;
    Step s;
    s.x = system_.solve(slope + below / below_ - above / above_);
    if (o_.free_bias) {
      const Eigen::Vector2d missing = sums(s.x + x_);
      s.bias = balance_.fullPivLu().solve(missing);
      for (int v = 0; v < 2; ++v) s.x -= s.bias[v] * pull_[v];
    }
    s.below = (below - price_below_ * s.x) / below_;
    s.above = (above + price_above_ * s.x) / above_;
    return s;
  }

  // The sums of both expansions.
  Eigen::Vector2d sums(const Variables& x) const {
    return system_.expansions(x).colwise().sum().transpose();
  }

  // What a unit of each bias does to the variables, and that to the sums.
  void balance() {
    for (int v = 0; v < 2; ++v) {
      Svm2kSystem::Columns unit = Svm2kSystem::Columns::Zero(x_.rows(), 2);
      unit.col(v).setOnes();
      pull_[v] = system_.solve(system_.adjoint(unit, x_.cols()));
      balance_.col(v) = sums(pull_[v]);
    }
  }

  double length(const Step& s) const {
    return std::min(std::min(longest(below_, s.x), longest(above_, -s.x)),
                    std::min(longest(price_below_, s.below), longest(price_above_, s.above)));
  }

  // After a part t of the step.
  double complementarity(double t, const Step& s) const {
    return ((price_below_ + t * s.below) * (below_ + t * s.x)).sum() +
           ((price_above_ + t * s.above) * (above_ - t * s.x)).sum();
  }

  Svm2kSystem system_;
  ArrayXd y_, w_;
  const Svm2kOptions& o_;
  Variables x_, linear_;
  Variables below_, above_;              // distances to the bounds
  Variables price_below_, price_above_;  // multipliers of the bounds
  Svm2kSystem::Columns g_, u_;           // expansion coefficients, values
  Eigen::Vector2d bias_ = Eigen::Vector2d::Zero();
  Variables pull_[2];
  Eigen::Matrix2d balance_;
};

}  // namespace

Svm2kModel solve_svm2k(const MatrixXd& first, const MatrixXd& second, const VectorXd& sign,
                       const VectorXd& weights, const Svm2kOptions& options, Context& context) {
  return InteriorPoint(first, second, sign, weights, options, context).run(context);
}

}  // namespace flexkern
