#include "dual.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// A price that keeps a coefficient at zero.
constexpr float kForbidden = 1e30f;
// Moves of two coordinates in turn that find their common best.
constexpr int kTurns = 8;

}  // namespace

DualSolver::DualSolver(const GramRows& gram, const Micro& micro, DualProblem problem,
                       Context& context)
    : gram_(gram),
      micro_(micro),
      problem_(std::move(problem)),
      context_(context),
      n_(gram.size()),
      stride_(gram.stride()),
      kernel_(kernel(micro)),
      price_(at(n_)),
      value_(at(n_), 0.0),
      r_(stride_) {
  for (Buffer<float>& p : parameter_) {
    p = Buffer<float>(stride_);
    std::fill_n(p.data(), stride_, 0.0f);
  }
}

DualKernel DualSolver::kernel(const Micro& micro) const {
  switch (problem_.loss.type) {
    case Loss::Type::epsilon:
      return micro.dual_epsilon;
    case Loss::Type::expectile:
    case Loss::Type::least_squares:
      return micro.dual_expectile;
    default:
      return micro.dual_box;
  }
}

void DualSolver::set_prices(double lambda) {
  lambda_ = lambda;
  const double cost = 1 / (2 * lambda * problem_.rows);
  for (index_t i = 0; i < n_; ++i)
    price_[at(i)] = dual_price(problem_.loss, problem_.y[at(i)], cost * problem_.weight[at(i)],
                               gram_.scale(i));
}

// Tells the passes what row i may do.
void DualSolver::show(index_t i) {
  const DualPrice& p = price_[at(i)];
  const double value = value_[at(i)];
  if (kernel_ == micro_.dual_box) {
    parameter_[0][i] = static_cast<float>(p.low - value);
    parameter_[1][i] = static_cast<float>(p.high - value);
    return;
  }
  const bool fixed = p.low == p.high;
  parameter_[0][i] = static_cast<float>(value);
  if (kernel_ == micro_.dual_epsilon) {
    parameter_[1][i] = static_cast<float>(p.low);
    parameter_[2][i] = static_cast<float>(p.high);
    parameter_[3][i] = static_cast<float>(p.linear);
  } else {
    parameter_[1][i] = fixed ? kForbidden : static_cast<float>(p.square_pos);
    parameter_[2][i] = fixed ? kForbidden : static_cast<float>(p.square_neg);
  }
}

void DualSolver::add_row(index_t i, double change) {
  micro_.axpy(stride_, static_cast<float>(-change), gram_.row(i), r_.data());
}

void DualSolver::reset() {
  std::fill_n(r_.data(), stride_, 0.0f);
  for (index_t i = 0; i < n_; ++i)
    if (gram_.scale(i) > 0) r_[i] = static_cast<float>(problem_.y[at(i)] / gram_.scale(i));
  for (index_t i = 0; i < n_; ++i)
    if (value_[at(i)] != 0) add_row(i, value_[at(i)]);
  for (index_t i = 0; i < n_; ++i) show(i);
}

void DualSolver::adopt(const std::vector<double>& values, double lambda) {
  value_ = values;
  set_prices(lambda);
  reset();
}

void DualSolver::correct(const double* decision) {
  for (index_t i = 0; i < n_; ++i)
    if (gram_.scale(i) > 0)
      r_[i] = static_cast<float>((problem_.y[at(i)] - decision[i]) / gram_.scale(i));
}

// The share t that is best: t y'b - t^2 b'K b / 2 with b on the bounds towards y.
void DualSolver::start(double lambda) {
  set_prices(lambda);
  double linear = 0, square = 0;
  for (index_t i = 0; i < n_; ++i) {
    const DualPrice& p = price_[at(i)];
    const double bound = problem_.y[at(i)] > 0 ? p.high : p.low;
    value_[at(i)] = std::isfinite(bound) ? bound : 0;
  }
  reset();
  for (index_t i = 0; i < n_; ++i) {
    const double b = value_[at(i)];
    if (b == 0) continue;
    const double y = problem_.y[at(i)] / gram_.scale(i);
    linear += y * b - price_[at(i)].linear * std::fabs(b);
    square += b * (y - r_[i]);
  }
  const double t = square > 0 ? std::min(std::max(linear / square, 0.0), 1.0) : 0;
  if (t == 1) return;
  for (index_t i = 0; i < n_; ++i) {
    value_[at(i)] *= t;
    const double y = gram_.scale(i) > 0 ? problem_.y[at(i)] / gram_.scale(i) : 0;
    r_[i] = static_cast<float>(y - t * (y - r_[i]));
    show(i);
  }
}

// Coefficients at a bound stay on it, the others where they are. Of the two groups the smaller one
// is gone through: K (rho b) is known from the residuals.
void DualSolver::move_to(double lambda) {
  const double rho = lambda_ / lambda;
  std::vector<char> bound(at(n_), 0);
  index_t bounded = 0, free = 0;
  for (index_t i = 0; i < n_; ++i) {
    const double b = value_[at(i)];
    if (b == 0) continue;
    bound[at(i)] = price_[at(i)].at_bound(b);
    ++(bound[at(i)] ? bounded : free);
  }
  set_prices(lambda);
  const bool scale_all = bounded > free;
  if (scale_all)
    for (index_t i = 0; i < n_; ++i) {
      if (!(gram_.scale(i) > 0)) continue;
      const double y = problem_.y[at(i)] / gram_.scale(i);
      r_[i] = static_cast<float>(y - rho * (y - r_[i]));
    }
  for (index_t i = 0; i < n_; ++i) {
    const DualPrice& p = price_[at(i)];
    const double before = value_[at(i)];
    double& b = value_[at(i)];
    if (bound[at(i)]) b = before > 0 ? p.high : p.low;
    b = std::min(std::max(b, p.low), p.high);
    const double known = scale_all ? rho * before : before;
    if (b != known && !(scale_all && bound[at(i)])) add_row(i, b - known);
    show(i);
  }
}

void DualSolver::step(const DualPass& pass, index_t i, index_t j) {
  const double q = gram_.row(i)[j];
  double ri = pass.r[i], rj = pass.r[j];
  double& bi = value_[at(i)];
  double& bj = value_[at(j)];
  for (int turn = 0; turn < kTurns; ++turn) {
    const double di = price_[at(i)].best(bi + ri) - bi;
    bi += di;
    ri -= di;
    rj -= q * di;
    const double dj = price_[at(j)].best(bj + rj) - bj;
    bj += dj;
    rj -= dj;
    ri -= q * dj;
    if (std::fabs(q * dj) <= 1e-7 * std::fabs(ri + bi)) break;
  }
  show(i);
  show(j);
}

// gap = sum_i C w_i L(y_i, clip(f_i)) + price_i(b_i) - b_i r_i, for y - f = r.
void DualSolver::check_gap() {
  const double cost = 1 / (2 * lambda_ * problem_.rows);
  double gap = 0, loss = 0, norm = 0;
  for (index_t i = 0; i < n_; ++i) {
    const double w = problem_.weight[at(i)];
    if (!(w > 0)) continue;
    const double f = decision(i), b = value_[at(i)];
    const double own = cost * w * problem_.loss(problem_.y[at(i)], problem_.clip(f));
    loss += own;
    gap += own + price_[at(i)](b) - b * r_[i];
    if (gram_.scale(i) > 0) norm += b * f / gram_.scale(i);
  }
  const double primal = loss + norm / 2;
  primal_ = 2 * lambda_ * primal;
  gap_ = primal > 0 ? gap / primal : 0;
}

bool DualSolver::solve(double tol, index_t max_steps) {
  const index_t half = round_up(stride_ / 2, kPanel);
  const index_t patience = std::max<index_t>(32, n_ / 16);
  DualPass pass{{gram_.row(0), gram_.row(0)},
                {0, 0},
                r_.data(),
                {parameter_[0].data(), parameter_[1].data(), parameter_[2].data(),
                 parameter_[3].data()}};
  for (index_t count = 0;; ++count) {
    const DualBest one = kernel_(pass, 0, half), two = kernel_(pass, half, stride_);
    if (count % patience == 0) {
      context_.check();
      check_gap();
      if (gap_ <= tol) return true;
    }
    if (count >= max_steps || (!(one.gain > 0) && !(two.gain > 0))) break;
    ++steps_;
    const bool first = one.gain >= two.gain;
    const index_t i = first ? one.at : two.at;
    index_t j = first ? two.at : one.at;
    if (!((first ? two.gain : one.gain) > 0)) j = i;
    const double bi = value_[at(i)], bj = value_[at(j)];
    if (j == i) {
      value_[at(i)] = price_[at(i)].best(bi + r_[i]);
      show(i);
    } else {
      step(pass, i, j);
    }
    pass.row[0] = gram_.row(i);
    pass.row[1] = gram_.row(j);
    pass.step[0] = static_cast<float>(value_[at(i)] - bi);
    pass.step[1] = j == i ? 0 : static_cast<float>(value_[at(j)] - bj);
  }
  check_gap();
  return gap_ <= tol;
}

}  // namespace flexkern
