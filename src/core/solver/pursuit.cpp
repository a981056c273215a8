// Matching pursuit, orthogonal matching pursuit and prefitting (Vincent and Bengio 2002, section 2)
// on the dictionary of a path.
#include <algorithm>
#include <cmath>

#include "lars.h"

namespace flexkern {
namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class Pursuit : public Follower {
 public:
  Pursuit(Sources& sources, const std::vector<double>& y, const PathOptions& options,
          const HeldOut* held, Context& context)
      : sources_(sources),
        y_(y),
        options_(options),
        context_(context),
        recorder_(sources, y, options, held),
        active_(sources.rows(), options.method != PathOptions::Method::mp),
        r_(y),
        c_(at(sources.size())),
        left_over_(at(sources.size())),
        blocked_(at(sources.size())),
        length_(std::sqrt(static_cast<double>(sources.rows()))) {
    for (index_t j = 0; j < sources.size(); ++j) left_over_[at(j)] = sources.square(j);
    next_ = best_source();
    by_rule_ = recorder_.record(active_, beta_, here(), r_);
  }

  void advance(index_t steps) override;
  bool ended() const override { return by_rule_ || complete_ || steps_ >= options_.max_steps; }
  const Path& path() const override { return recorder_.path(); }
  Path finish() override {
    return recorder_.finish(by_rule_    ? Path::End::rule
                            : complete_ ? Path::End::complete
                                        : Path::End::steps);
  }

 private:
  bool prefitting() const { return options_.method == PathOptions::Method::prefit; }
  double score(double c, double left_over) const;
  index_t best_source();
  bool take(index_t j);
  void take_alone(index_t j);
  void fit_active();
  void deflate(const std::vector<double>& outside);
  Breakpoint here() const;

  Sources& sources_;
  const std::vector<double>& y_;
  const PathOptions& options_;
  Context& context_;
  PathRecorder recorder_;
  ActiveSet active_;
  std::vector<double> r_, beta_, column_, trial_;
  std::vector<float> c_;
  std::vector<double> left_over_;  // squared length of each source outside the active span
  std::vector<char> blocked_;
  double length_;
  index_t next_ = -1, steps_ = 0;
  bool by_rule_ = false, complete_ = false;
};

// The root of how much the loss falls with a source: alone, or (prefitting) with the coefficients
// of all active ones fitted again, by its part outside their span, of which this is the square.
double Pursuit::score(double c, double left_over) const {
  return std::abs(c) / std::sqrt(std::max(left_over, kDependent * length_ * length_));
}

// Those that may be best by their single-precision scores are compared in double precision.
index_t Pursuit::best_source() {
  sources_.correlate(r_.data(), 1, c_.data(), context_);
  const double error = 2 * kFloatError * length_ * std::sqrt(dot(r_, r_));
  const double lost =
      !prefitting() ? 0 : 4 * kFloatError * length_ * length_ * static_cast<double>(active_.size());
  const auto usable = [&](index_t j) {
    return sources_.role(j) == Role::source && !blocked_[at(j)];
  };
  const auto most = [&](index_t j) {
    return score(std::abs(c_[at(j)]) + error, left_over_[at(j)] - lost);
  };
  double surely = 0;
  for (index_t j = 0; j < sources_.size(); ++j)
    if (usable(j))
      surely = std::max(
          surely, score(std::max(0.0, std::abs(c_[at(j)]) - error), left_over_[at(j)] + lost));
  index_t best = -1;
  double top = 0;
  trial_.resize(r_.size());
  for (index_t j = 0; j < sources_.size(); ++j) {
    if (!usable(j) || most(j) < std::max(surely, top)) continue;
    sources_.column(j, trial_.data());
    const double square = dot(trial_, trial_);
    const double left = prefitting() ? active_.outside(trial_.data()) : square;
    if (!(left > kDependent * square)) {
      blocked_[at(j)] = 1;  // in the span of the active ones, which only grows
      continue;
    }
    const double value = score(dot(trial_, r_), left);
    if (value <= top) continue;
    top = value;
    best = j;
    column_ = trial_;
  }
  return top > 1e-9 * std::sqrt(dot(y_, y_)) ? best : -1;
}

bool Pursuit::take(index_t j) {
  if (options_.method == PathOptions::Method::mp) {
    take_alone(j);
    return true;
  }
  blocked_[at(j)] = 1;
  if (!active_.append(j, column_.data(), kDependent)) return false;
  fit_active();
  return true;
}

void Pursuit::take_alone(index_t j) {
  index_t k = 0;
  while (k < active_.size() && active_.source(k) != j) ++k;
  if (k == active_.size()) {
    active_.append(j, column_.data(), 0);
    beta_.push_back(0);
  }
  const double step = dot(column_, r_) / dot(column_, column_);
  beta_[at(k)] += step;
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] -= step * column_[i];
}

void Pursuit::fit_active() {
  std::vector<double> fit(r_.size());
  active_.solve_least_squares(y_, beta_);
  active_.combine(beta_, fit.data());
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = y_[i] - fit[i];
  if (prefitting()) deflate(active_.last_direction());
}

void Pursuit::deflate(const std::vector<double>& outside) {
  std::vector<float> share(c_.size());
  sources_.correlate(outside.data(), 1, share.data(), context_);
  for (std::size_t j = 0; j < share.size(); ++j)
    left_over_[j] -= static_cast<double>(share[j]) * static_cast<double>(share[j]);
}

Breakpoint Pursuit::here() const {
  Breakpoint point;
  for (index_t j = 0; j < sources_.size(); ++j)
    if (sources_.role(j) == Role::source)
      point.correlation = std::max(point.correlation, std::abs(static_cast<double>(c_[at(j)])));
  for (index_t j = 0; j < sources_.size(); ++j)
    point.traps += sources_.role(j) == Role::trap && std::abs(c_[at(j)]) > point.correlation;
  return point;
}

void Pursuit::advance(index_t steps) {
  for (index_t k = 0; k < steps && !ended(); ++k, ++steps_) {
    context_.check();
    while (next_ >= 0 && !take(next_)) next_ = best_source();
    complete_ = next_ < 0;
    if (complete_) return;
    const index_t entered = next_;
    next_ = best_source();
    Breakpoint point = here();
    point.entered = entered;
    by_rule_ = recorder_.record(active_, beta_, point, r_);
    complete_ = next_ < 0;
  }
}

}  // namespace

std::unique_ptr<Follower> make_pursuit(Sources& sources, const std::vector<double>& response,
                                       const PathOptions& options, const HeldOut* held,
                                       Context& context) {
  return std::make_unique<Pursuit>(sources, response, options, held, context);
}

}  // namespace flexkern
