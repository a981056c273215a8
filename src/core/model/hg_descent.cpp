#include "hg_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace flexkern {
namespace {

// The penalty that single precision can carry, as in the default grid.
constexpr double kLeastShift = 1e-3;
// Logarithms of weights stay within this of 0: beyond, a column is as good as gone.
constexpr double kLogRange = 12;

HgPoint to_logs(const Hierarchy& hierarchy, double shift) {
  HgPoint out;
  for (const HierarchyNode& node : hierarchy.nodes)
    for (const double w : node.weights)
      out.push_back(std::log(std::max(std::fabs(w), std::exp(-kLogRange))));
  out.push_back(std::log(shift));
  return out;
}

Hierarchy from_logs(Hierarchy hierarchy, const HgPoint& point) {
  std::size_t i = 0;
  for (HierarchyNode& node : hierarchy.nodes)
    for (double& w : node.weights) w = std::exp(point[i++]);
  return hierarchy;
}

// d/d log w = w d/dw
HgPoint by_logs(std::vector<double> gradient, const HgPoint& point) {
  for (std::size_t i = 0; i + 1 < point.size(); ++i) gradient[i] *= std::exp(point[i]);
  return gradient;
}

}  // namespace

Descent::Descent(const HgTask& task)
    : task_(task), least_(std::log(kLeastShift)), largest_(kLogRange) {
  const std::vector<double>& given = task.options.cell.lambdas;
  if (given.empty()) return;
  const auto ends = std::minmax_element(given.begin(), given.end());
  const double n = static_cast<double>(task.parts.train());
  least_ = std::max(least_, std::log(*ends.first * n));
  largest_ = std::max(least_, std::log(*ends.second * n));
}

void Descent::keep_within(HgPoint& point) const {
  for (std::size_t i = 0; i + 1 < point.size(); ++i)
    point[i] = std::min(std::max(point[i], -kLogRange), kLogRange);
  point.back() = std::min(std::max(point.back(), least_), largest_);
}

HgPoint Descent::begin(int round) {
  round_ = round;
  behind_ = 0;
  best_ = std::numeric_limits<double>::infinity();
  const Hierarchy from =
      round > 0 ? perturbed(task_.start, task_.options.spread, task_.rng) : task_.start;
  const HgMachine machine = task_.parts.search(from);
  HgPoint point = to_logs(absorb_gamma(from, machine.gamma),
                          machine.lambda * static_cast<double>(task_.parts.train()));
  gamma_ = machine.gamma;
  keep_within(point);
  task_.result.solve_seconds += watch_.lap();
  return point;
}

double Descent::evaluate(ImplicitRisk& risk, const HgPoint& point) {
  task_.result.proposals += 1;
  const double value = risk.value(from_logs(task_.start, point), std::exp(point.back()));
  task_.result.solve_seconds += watch_.lap();
  return value;
}

double Descent::settle(ImplicitRisk& risk, HgPoint& point) {
  double value = evaluate(risk, point);
  for (int i = 0; i < 24 && !std::isfinite(value); ++i) {
    point.back() += 1;
    value = evaluate(risk, point);
  }
  require(std::isfinite(value) || !task_.result.trace.empty(),
          "the kernel's weights are too large to learn from; begin with smaller ones");
  return value;
}

HgPoint Descent::gradient(ImplicitRisk& risk, const HgPoint& point) {
  HgPoint out = by_logs(risk.gradient(), point);
  task_.result.descent_seconds += watch_.lap();
  return out;
}

bool Descent::look(const ImplicitRisk& risk, const HgPoint& point, int step, double value) {
  HgResult& result = task_.result;
  const Hierarchy hierarchy = from_logs(task_.start, point);
  const auto responses = static_cast<std::size_t>(task_.parts.learning().responses);
  const HgMachine machine{1, 0, risk.coef(), std::vector<double>(responses, 0.0)};
  result.trace.push_back({round_ + 1, step, value, task_.parts.test_risk(hierarchy, machine)});
  keep_best(hierarchy, gamma_, std::exp(point.back()), result);
  // Less than a thousandth is no progress.
  const bool better = result.trace.back().test < best_ * 0.999;
  if (better) best_ = result.trace.back().test;
  behind_ = better ? 0 : behind_ + 1;
  result.solve_seconds += watch_.lap();
  return behind_ < task_.options.patience;
}

void Descent::advance() {
  task_.context.advance(1);
  task_.context.check();
}

ImplicitRisk Descent::risk() const {
  const HgRows& rows = task_.parts.learning();
  return risk({rows.x(), rows.y(), rows.weights, task_.parts.train()});
}

ImplicitRisk Descent::risk(const SplitData& data) const {
  return {data, task_.device.host(), task_.context.threads, task_.context};
}

}  // namespace flexkern
