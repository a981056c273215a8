#include "dual.h"

#include <algorithm>
#include <cmath>

#include "dual_newton.h"

namespace flexkern {
namespace {

// Newton's step is for up to so many free coefficients. One that could only be taken in part makes
// the next ones rarer, down to one in so many times its own time.
constexpr double kNewtonRows = 3000, kFullStep = 0.5, kRarest = 16;
// Steps among the active rows, so many a row, until the best gain has fallen to this share.
constexpr index_t kInnerSteps = 20;
constexpr double kInnerFall = 1e-2;

// Residuals on the border of the tube are no rounder than single precision: of a smaller primal
// value their gap is no share worth asking for.
constexpr double kLeastPrimal = 0.01;

bool is_free(const DualPrice& p, double b) {
  return p.low < b && b < p.high && (p.linear == 0 || b != 0);
}

// Times of Newton's step for m free coefficients and of a pass over n rows, in nanoseconds.
double newton_time(double m, double n) { return m * m * m / 120 + 1.5 * m * m + 0.15 * m * n; }
double pass_time(double n) { return 400 + 0.5 * n; }

}  // namespace

DualSolver::DualSolver(const GramRows& gram, const Micro& micro, DualProblem problem,
                       Context& context)
    : gram_(gram),
      micro_(micro),
      problem_(std::move(problem)),
      context_(context),
      n_(gram.size()),
      core_(problem_.loss.type, micro, n_) {
  core_.set_rows(gram.row(0));
}

void DualSolver::set_prices(double lambda) {
  lambda_ = lambda;
  const double cost = 1 / (2 * lambda * problem_.rows);
  for (index_t i = 0; i < n_; ++i)
    core_.set_price(i, dual_price(problem_.loss, problem_.y[at(i)], cost * problem_.weight[at(i)],
                                  gram_.scale(i)));
}

void DualSolver::clear_residuals() {
  for (index_t i = 0; i < n_; ++i) core_.set_residual(i, label(i));
}

void DualSolver::adopt(const std::vector<double>& values, double lambda) {
  set_prices(lambda);
  for (index_t i = 0; i < n_; ++i) core_.set_value(i, values[at(i)]);
}

void DualSolver::correct(const double* decision) {
  for (index_t i = 0; i < n_; ++i)
    if (gram_.scale(i) > 0)
      core_.set_residual(i, (problem_.y[at(i)] - decision[i]) / gram_.scale(i));
  check_gap();
}

// b on the bounds towards y.
void DualSolver::start(double lambda) {
  set_prices(lambda);
  for (index_t i = 0; i < n_; ++i) {
    const double y = problem_.y[at(i)];
    const double bound = y > 0 ? core_.price(i).high : y < 0 ? core_.price(i).low : 0;
    core_.set_value(i, std::isfinite(bound) ? bound : 0);
  }
}

// The share t that is best: t y'b - t^2 b'K b / 2.
void DualSolver::shrink() {
  double linear = 0, square = 0;
  for (index_t i = 0; i < n_; ++i) {
    const double b = core_.value(i);
    linear += label(i) * b - core_.price(i).linear * std::fabs(b);
    square += b * (label(i) - core_.residual(i));
  }
  const double t = square > 0 ? std::min(std::max(linear / square, 0.0), 1.0) : 0;
  for (index_t i = 0; i < n_ && t < 1; ++i) {
    core_.set_residual(i, label(i) - t * (label(i) - core_.residual(i)));
    core_.set_value(i, t * core_.value(i));
  }
}

// Coefficients at a bound stay on it, the others where they are. Residuals are to be computed anew:
// what rounding has done to them would grow with the coefficients.
void DualSolver::move_to(double lambda) {
  std::vector<char> bound(at(n_), 0);
  for (index_t i = 0; i < n_; ++i)
    bound[at(i)] = core_.value(i) != 0 && core_.price(i).at_bound(core_.value(i));
  set_prices(lambda);
  for (index_t i = 0; i < n_; ++i) {
    const DualPrice& p = core_.price(i);
    const double b = core_.value(i);
    const double to = bound[at(i)] ? (b > 0 ? p.high : p.low) : b;
    core_.set_value(i, std::min(std::max(to, p.low), p.high));
  }
}

// gap = sum_i C w_i L(y_i, f_i) + price_i(b_i) - b_i r_i, for y - f = r.
void DualSolver::check_gap() {
  const double cost = 1 / (2 * lambda_ * problem_.rows);
  double gap = 0, loss = 0, norm = 0;
  for (index_t i = 0; i < n_; ++i) {
    const double w = problem_.weight[at(i)];
    if (!(w > 0)) continue;
    const double f = decision(i), b = core_.value(i);
    const double own = cost * w * problem_.loss(problem_.y[at(i)], f);
    loss += own;
    gap += own + core_.price(i)(b) - b * core_.residual(i);
    if (gram_.scale(i) > 0) norm += b * f / gram_.scale(i);
  }
  const double primal = loss + norm / 2;
  const double least = problem_.loss.type == Loss::Type::epsilon ? kLeastPrimal : 0;
  primal_ = 2 * lambda_ * primal;
  const double unit = std::max(primal_, least);
  gap_ = unit > 0 ? 2 * lambda_ * gap / unit : 0;
}

// Steps on pairs find out which coefficients are at a bound. Most of the work is among the few that
// are not or may leave it, which have a small Gram matrix of their own; Newton's step solves for
// them at once where the bounds let it.
bool DualSolver::solve(double tol, index_t max_steps) {
  const index_t patience = std::max<index_t>(32, n_ / 16);
  const double n = static_cast<double>(n_);
  double spent = 0, rarer = 1;
  for (index_t last = steps_ + max_steps;;) {
    context_.check();
    check_gap();
    if (gap_ <= tol) return true;
    if (steps_ >= last) return false;
    collect_free();
    const double m = static_cast<double>(free_.size());
    if (m > 0 && m <= kNewtonRows && spent >= rarer * newton_turns_ * newton_time(m, n)) {
      rarer = newton_step() ? 0.25 : std::min(4 * std::max(rarer, 1.0), kRarest);
      spent = 0;
    } else {
      spent += inner_steps();
    }
    const index_t done = core_.step(patience, 0);
    steps_ += done;
    spent += static_cast<double>(done) * pass_time(n);
    if (done == 0) {
      check_gap();
      return gap_ <= tol;
    }
  }
}

void DualSolver::collect_free() {
  free_.clear();
  for (index_t i = 0; i < n_; ++i)
    if (is_free(core_.price(i), core_.value(i))) free_.push_back(i);
}

// The free coefficients, those that would leave their bound, and as many of the others as are
// free: the ones that are nearest to it.
std::vector<index_t> DualSolver::active_rows() const {
  std::vector<std::pair<float, index_t>> others;
  for (index_t i = 0; i < n_; ++i) {
    const DualPrice& p = core_.price(i);
    const double b = core_.value(i), r = core_.residual(i);
    if (p.low == p.high || is_free(p, b)) continue;
    const bool leaves = p.best(b + r) != b;
    others.push_back({leaves ? -1.0f : static_cast<float>(std::fabs(std::fabs(r) - p.linear)), i});
  }
  const std::size_t wanted = std::min(others.size(), free_.size() + 64);
  std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(wanted),
                   others.end());
  std::vector<index_t> rows = free_;
  for (std::size_t k = 0; k < wanted; ++k) rows.push_back(others[k].second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Steps among the active rows alone; returns their time.
double DualSolver::inner_steps() {
  if (2 * static_cast<index_t>(free_.size()) + 64 > n_ / 2) return 0;
  const std::vector<index_t> rows = active_rows();
  const index_t m = static_cast<index_t>(rows.size());
  if (m < 2) return 0;
  DualCore inner(problem_.loss.type, micro_, m);
  Buffer<float> gram(m * inner.stride());
  std::fill_n(gram.data(), gram.size(), 0.0f);
  for (index_t i = 0; i < m; ++i) {
    const float* from = core_.row(rows[at(i)]);
    float* to = gram.data() + i * inner.stride();
    for (index_t j = 0; j < m; ++j) to[j] = from[rows[at(j)]];
    inner.set_price(i, core_.price(rows[at(i)]));
    inner.set_value(i, core_.value(rows[at(i)]));
    inner.set_residual(i, core_.residual(rows[at(i)]));
  }
  inner.set_rows(gram.data());
  const index_t done = inner.step(kInnerSteps * m, kInnerFall * inner.best_gain());
  steps_ += done;
  for (index_t i = 0; i < m; ++i) {
    const double change = inner.value(i) - core_.value(rows[at(i)]);
    if (change == 0) continue;
    core_.add_row(rows[at(i)], change);
    core_.set_value(rows[at(i)], inner.value(i));
  }
  const double size = static_cast<double>(m);
  return static_cast<double>(done) * pass_time(size) +
         size * (1.5 * size + 0.15 * static_cast<double>(n_));
}

// As far as the dual rises; whether that was far enough.
bool DualSolver::newton_step() {
  const NewtonChange newton = newton_change(core_, free_, micro_, context_);
  const std::vector<double>& change = newton.change;
  const double once = newton_time(static_cast<double>(free_.size()), static_cast<double>(n_));
  newton_turns_ = std::max(1.0, newton.time / once);
  double rise = 0;
  std::vector<double> side;
  for (std::size_t k = 0; k < change.size(); ++k) {
    side.push_back(core_.side(free_[k]));
    rise += change[k] * core_.slope(free_[k], side[k]);
  }
  if (!(rise > 0)) return false;
  std::vector<float> before;
  for (index_t i = 0; i < n_; ++i) before.push_back(core_.residual(i));
  double end = 0;
  for (std::size_t k = 0; k < change.size(); ++k) {
    if (change[k] != 0) core_.add_row(free_[k], change[k]);
    core_.set_value(free_[k], core_.value(free_[k]) + change[k]);
  }
  // A value that ends at 0 has come from its side.
  for (std::size_t k = 0; k < change.size(); ++k) {
    const double b = core_.value(free_[k]);
    end += change[k] * core_.slope(free_[k], b != 0 ? b : side[k]);
  }
  if (!(end < 0)) return true;
  const double t = rise / (rise - end);
  for (index_t i = 0; i < n_; ++i)
    core_.set_residual(i, before[at(i)] + t * (core_.residual(i) - before[at(i)]));
  for (std::size_t k = 0; k < change.size(); ++k)
    core_.set_value(free_[k], core_.value(free_[k]) - (1 - t) * change[k]);
  return t > kFullStep;
}

}  // namespace flexkern
