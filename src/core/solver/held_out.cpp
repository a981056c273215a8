#include "held_out.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexkern {
namespace {

// The share of the hinge in its risk.
constexpr double kTie = 0.01;
// Of the weights: two sums that differ by no more are equal.
constexpr double kRounding = 1e-12;

struct Residual {
  double value, weight;
};

double total(const std::vector<Residual>& rows) {
  double sum = 0;
  for (const Residual& r : rows) sum += r.weight;
  return sum;
}

// The quantile; the middle where there is more than one.
double quantile(std::vector<Residual>& rows, double tau) {
  std::sort(rows.begin(), rows.end(),
            [](const Residual& a, const Residual& b) { return a.value < b.value; });
  const double all = total(rows), slack = kRounding * all;
  double below = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    below += rows[i].weight;
    if (below < tau * all - slack) continue;
    const bool between = below <= tau * all + slack && i + 1 < rows.size();
    return between ? rows[i].value / 2 + rows[i + 1].value / 2 : rows[i].value;
  }
  return rows.back().value;
}

// The weighted mean in which rows above it count tau and those below 1 - tau: found when these
// rows no longer change.
double expectile(const std::vector<Residual>& rows, double tau) {
  double at = 0;
  for (std::size_t turn = 0; turn <= rows.size(); ++turn) {
    double sum = 0, weight = 0;
    for (const Residual& r : rows) {
      const double w = r.weight * (r.value > at ? tau : 1 - tau);
      sum += w * r.value;
      weight += w;
    }
    const double next = sum / weight;
    if (next == at) break;
    at = next;
  }
  return at;
}

}  // namespace

HeldOutRisk::HeldOutRisk(const std::vector<Loss>& losses, const Clip& clip, bool one_label)
    : losses_(losses),
      clip_(clip),
      one_label_(one_label),
      rows_(losses.size()),
      sums_(losses.size(), 0.0),
      weights_(losses.size(), 0.0) {}

void HeldOutRisk::add(const std::vector<double>& y, const std::vector<double>& f,
                      const std::vector<double>& w) {
  const auto top = std::max_element(f.begin(), f.end()) - f.begin();
  const bool wrong = !(y[static_cast<std::size_t>(top)] > 0);
  for (std::size_t c = 0; c < losses_.size(); ++c) {
    weights_[c] += w[c];
    if (losses_[c].has_level()) {
      if (w[c] > 0) rows_[c].push_back({y[c], f[c], w[c]});
      continue;
    }
    double loss = losses_[c](y[c], clip_(f[c]));
    if (losses_[c].type == Loss::Type::hinge)
      loss = kTie * loss + (one_label_ ? wrong : (f[c] > 0) != (y[c] > 0));
    sums_[c] += w[c] * loss;
  }
}

double HeldOutRisk::offset(std::size_t c) const {
  const Loss& loss = losses_[c];
  const bool ranks = loss.type == Loss::Type::pinball;
  std::vector<Residual> residuals;
  for (const Row& r : rows_[c]) {
    // Ranks stay what they are; a square would see how far beyond the clip a value lies.
    const double residual = r.y - (ranks ? r.f : clip_(r.f));
    if (!std::isfinite(residual)) return 0;
    residuals.push_back({residual, r.weight});
  }
  if (residuals.empty()) return 0;
  return ranks ? quantile(residuals, loss.tau) : expectile(residuals, loss.tau);
}

double HeldOutRisk::sum(std::size_t c) const {
  const double b = offset(c);
  double sum = sums_[c];
  for (const Row& r : rows_[c]) sum += r.weight * losses_[c](r.y, clip_(r.f + b));
  return sum;
}

double HeldOutRisk::value(std::size_t c) const {
  return weights_[c] > 0 ? sum(c) / weights_[c] : std::numeric_limits<double>::quiet_NaN();
}

double HeldOutRisk::value() const {
  double sum = 0, weight = 0;
  for (std::size_t c = 0; c < losses_.size(); ++c) {
    sum += this->sum(c);
    weight += weights_[c];
  }
  return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace flexkern
