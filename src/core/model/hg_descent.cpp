// Descent along the gradient of the validation risk through which the machine is differentiated, in
// the logarithms of the weights and of lambda n: by L-BFGS on all rows or by Adam on samples.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "core/base/error.h"
#include "core/solver/implicit_risk.h"
#include "hg_optimizers.h"

namespace flexkern {
namespace {

using Vector = std::vector<double>;

// The penalty that single precision can carry, as in the default grid.
constexpr double kLeastShift = 1e-3;
// Logarithms of weights stay within this of 0: beyond, a column is as good as gone.
constexpr double kLogRange = 12;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A point: the logarithms of all weights in the order of the nodes, and of the shift.
Vector to_logs(const Hierarchy& hierarchy, double shift) {
  Vector out;
  for (const HierarchyNode& node : hierarchy.nodes)
    for (const double w : node.weights)
      out.push_back(std::log(std::max(std::fabs(w), std::exp(-kLogRange))));
  out.push_back(std::log(shift));
  return out;
}

void keep_within(Vector& point) {
  for (double& v : point) v = std::min(std::max(v, -kLogRange), kLogRange);
  point.back() = std::max(point.back(), std::log(kLeastShift));
}

Hierarchy from_logs(Hierarchy hierarchy, const Vector& point) {
  std::size_t i = 0;
  for (HierarchyNode& node : hierarchy.nodes)
    for (double& w : node.weights) w = std::exp(point[i++]);
  return hierarchy;
}

// d/d log w = w d/dw
Vector by_logs(Vector gradient, const Vector& point) {
  for (std::size_t i = 0; i + 1 < point.size(); ++i) gradient[i] *= std::exp(point[i]);
  return gradient;
}

// The two-loop recursion on the last steps.
class Bfgs {
 public:
  void add(Vector step, Vector change) {
    const double curvature = dot(step, change);
    if (!(curvature > 1e-10 * dot(change, change))) return;
    pairs_.push_back({std::move(step), std::move(change), 1 / curvature});
    if (pairs_.size() > 10) pairs_.pop_front();
  }
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }
  Vector direction(Vector q) const {
    Vector a(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      a[i] = pairs_[i].rho * dot(pairs_[i].step, q);
      add_to(q, -a[i], pairs_[i].change);
    }
    const Pair& last = pairs_.back();
    const double scale = 1 / (last.rho * dot(last.change, last.change));
    for (double& v : q) v *= scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      add_to(q, a[i] - pairs_[i].rho * dot(pairs_[i].change, q), pairs_[i].step);
    for (double& v : q) v = -v;
    return q;
  }

 private:
  static void add_to(Vector& q, double by, const Vector& v) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += by * v[i];
  }
  struct Pair {
    Vector step, change;
    double rho;
  };
  std::deque<Pair> pairs_;
};

// What both descents share: starts, looks at the third part, early stopping.
class Descent {
 public:
  Descent(const HgParts& parts, const Hierarchy& start, const HgOptions& options,
          const Device& device, Rng& rng, Context& context, HgResult& result)
      : parts_(parts),
        start_(start),
        options_(options),
        rng_(rng),
        context_(context),
        result_(result),
        micro_(device.host()) {}

  // The machine of the grid says where penalty and width begin.
  Vector begin(int round) {
    round_ = round;
    behind_ = 0;
    best_ = std::numeric_limits<double>::infinity();
    const Hierarchy from = round > 0 ? perturbed(start_, options_.spread, rng_) : start_;
    const HgMachine machine = parts_.search(from);
    Vector point = to_logs(absorb_gamma(from, machine.gamma),
                           machine.lambda * static_cast<double>(parts_.train()));
    keep_within(point);
    result_.solve_seconds += watch_.lap();
    return point;
  }
  double evaluate(ImplicitRisk& risk, const Vector& point) {
    result_.proposals += 1;
    const double value = risk.value(from_logs(start_, point), std::exp(point.back()));
    result_.solve_seconds += watch_.lap();
    return value;
  }
  // The same where there has to be a machine: a larger penalty can be carried.
  double settle(ImplicitRisk& risk, Vector& point) {
    double value = evaluate(risk, point);
    for (int i = 0; i < 24 && !std::isfinite(value); ++i) {
      point.back() += 1;
      value = evaluate(risk, point);
    }
    require(std::isfinite(value), "no penalty makes the kernel matrix definite");
    return value;
  }
  Vector gradient(ImplicitRisk& risk, const Vector& point) {
    Vector out = by_logs(risk.gradient(), point);
    result_.descent_seconds += watch_.lap();
    return out;
  }
  // The error on the third part of the last machine; whether to go on.
  bool look(const ImplicitRisk& risk, const Vector& point, int step, double value) {
    const Hierarchy hierarchy = from_logs(start_, point);
    const HgMachine machine{1, 0, risk.coef(),
                            Vector(static_cast<std::size_t>(parts_.learning().responses), 0.0)};
    result_.trace.push_back({round_ + 1, step, value, parts_.test_risk(hierarchy, machine)});
    keep_best(hierarchy, std::exp(point.back()), result_);
    // Less than a thousandth is no progress.
    const bool better = result_.trace.back().test < best_ * 0.999;
    if (better) best_ = result_.trace.back().test;
    behind_ = better ? 0 : behind_ + 1;
    result_.solve_seconds += watch_.lap();
    return behind_ < options_.patience;
  }
  SplitData all() const {
    return {parts_.learning().x(), parts_.learning().y(), parts_.learning().weights,
            parts_.train()};
  }

  const HgParts& parts_;
  const Hierarchy& start_;
  const HgOptions& options_;
  Rng& rng_;
  Context& context_;
  HgResult& result_;
  const Micro& micro_;

 private:
  Stopwatch watch_;
  int round_ = 0, behind_ = 0;
  double best_ = 0;
};

// Armijo's rule along the direction; false where no step helps.
bool line_search(Descent& descent, ImplicitRisk& risk, const Vector& direction, double slope,
                 Vector& point, double& value) {
  double longest = 0;
  for (const double v : direction) longest = std::max(longest, std::fabs(v));
  double eta = std::min(1.0, 1.0 / longest);
  for (int halving = 0; halving <= 10; ++halving, eta /= 2) {
    Vector moved = point;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += eta * direction[i];
    keep_within(moved);
    const double there = descent.evaluate(risk, moved);
    if (!(there <= value + 1e-4 * eta * slope)) continue;
    point = moved;
    value = there;
    return true;
  }
  return false;
}

}  // namespace

void learn_by_lbfgs(const HgParts& parts, const Hierarchy& start, const HgOptions& options,
                    const Device& device, Rng& rng, Context& context, HgResult& result) {
  Descent descent(parts, start, options, device, rng, context, result);
  ImplicitRisk risk(descent.all(), descent.micro_, context.threads, context);
  for (int round = 0; round < options.rounds; ++round) {
    Vector point = descent.begin(round);
    double value = descent.settle(risk, point);
    Bfgs bfgs;
    bool go_on = descent.look(risk, point, 0, value);
    Vector g = descent.gradient(risk, point);
    for (int step = 1; step <= options.steps && go_on; ++step) {
      Vector direction = g;
      if (!bfgs.empty()) direction = bfgs.direction(g);
      if (bfgs.empty() || !(dot(direction, g) < 0)) {
        const double scale = 0.3 / std::sqrt(std::max(dot(g, g), 1e-300));
        for (std::size_t i = 0; i < g.size(); ++i) direction[i] = -scale * g[i];
        bfgs.clear();
      }
      const Vector before = point;
      if (!line_search(descent, risk, direction, dot(direction, g), point, value)) {
        if (bfgs.empty()) break;
        bfgs.clear();
        descent.evaluate(risk, point);
        continue;
      }
      go_on = descent.look(risk, point, step, value);
      const Vector now = descent.gradient(risk, point);
      Vector moved(point.size()), change(point.size());
      for (std::size_t i = 0; i < point.size(); ++i) {
        moved[i] = point[i] - before[i];
        change[i] = now[i] - g[i];
      }
      bfgs.add(std::move(moved), std::move(change));
      g = now;
      context.advance(1);
      context.check();
    }
  }
}

namespace {

// A random sample of the first two parts, two thirds of which train.
HgRows draw_batch(const HgRows& from, index_t size, Rng& rng) {
  std::vector<index_t> rows(static_cast<std::size_t>(from.size));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<index_t>(i);
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i)
    std::swap(rows[i], rows[i + rng.below(rows.size() - i)]);
  rows.resize(static_cast<std::size_t>(size));
  return {{from.x(), from.y(), from.weights}, rows};
}

}  // namespace

void learn_by_adam(const HgParts& parts, const Hierarchy& start, const HgOptions& options,
                   const Device& device, Rng& rng, Context& context, HgResult& result) {
  constexpr double keep = 0.9, keep_square = 0.99;
  constexpr int between_looks = 25;
  Descent descent(parts, start, options, device, rng, context, result);
  const index_t batch = std::min<index_t>(options.batch, parts.learning().size);
  for (int round = 0; round < options.rounds; ++round) {
    Vector point = descent.begin(round);
    Vector mean(point.size(), 0.0), square(point.size(), 0.0);
    for (int step = 0; step <= options.steps; ++step) {
      if (step % between_looks == 0 || step == options.steps) {
        ImplicitRisk whole(descent.all(), descent.micro_, context.threads, context);
        const double value = descent.settle(whole, point);
        if (!descent.look(whole, point, step, value) || step == options.steps) break;
      }
      const HgRows rows = draw_batch(parts.learning(), batch, rng);
      ImplicitRisk sample({rows.x(), rows.y(), rows.weights, std::max<index_t>(1, 2 * batch / 3)},
                          descent.micro_, context.threads, context);
      if (!std::isfinite(descent.evaluate(sample, point))) {
        point.back() += 1;  // a larger penalty can be carried
        continue;
      }
      const Vector g = descent.gradient(sample, point);
      // The rate falls to a tenth.
      const double t = step + 1, rate = options.rate * std::pow(0.1, t / options.steps);
      for (std::size_t i = 0; i < point.size(); ++i) {
        mean[i] = keep * mean[i] + (1 - keep) * g[i];
        square[i] = keep_square * square[i] + (1 - keep_square) * g[i] * g[i];
        const double m = mean[i] / (1 - std::pow(keep, t));
        const double s = square[i] / (1 - std::pow(keep_square, t));
        if (s > 0) point[i] -= rate * m / std::sqrt(s);
      }
      keep_within(point);
      context.advance(1);
      context.check();
    }
  }
}

}  // namespace flexkern
