#include "lars.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

constexpr index_t kSettle = 50;  // steps between two settlements
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= a.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) sum[k] += a[i + k] * b[i + k];
  for (; i < a.size(); ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// A source that reaches the common correlation, with the sign it has there.
struct Join {
  index_t source = -1;
  double sign = 0, gamma = kInfinity;
  std::vector<double> column;
};

// Single precision says which sources could be next; those are computed from their own columns in
// double precision, so that the path is exact.
class Lars : public Follower {
 public:
  Lars(GramCache& cache, const std::vector<double>& y, const PathOptions& options,
       const HeldOut* held, Context& context)
      : sources_(cache.sources()),
        y_(y),
        options_(options),
        context_(context),
        recorder_(sources_, y, options, held),
        active_(sources_.rows()),
        correlations_(cache, context),
        r_(y),
        u_(y.size()),
        trial_(y.size()),
        is_active_(at(sources_.size())),
        blocked_(at(sources_.size())) {
    going_ = start();
  }

  void advance(index_t steps) override;
  bool ended() const override { return !going_ || steps_ >= options_.max_steps; }
  const Path& path() const override { return recorder_.path(); }
  Path finish() override;

 private:
  struct Bound {
    double low;
    index_t source;
    int sign;
  };
  bool start();
  void step();
  bool take_down(Breakpoint point);
  Join first_join();
  bool enter();
  bool set_direction();
  Join next_join();
  std::vector<Bound> possible_joins();
  void look_ahead(double gamma, index_t j);
  void consider(const Bound& bound, Join& best);
  index_t next_drop(double& gamma) const;
  void move(double gamma);
  void settle();
  void drop(index_t k);
  void end_in_least_squares();
  index_t traps() const;
  void pin_active();
  bool candidate(index_t j) const {
    return sources_.role(j) == Role::source && !is_active_[at(j)] && !blocked_[at(j)];
  }

  Sources& sources_;
  const std::vector<double>& y_;
  const PathOptions& options_;
  Context& context_;
  PathRecorder recorder_;
  ActiveSet active_;
  Correlations correlations_;
  std::vector<double> r_, u_, trial_, beta_, sign_, w_;
  std::vector<char> is_active_, blocked_;
  std::vector<index_t> ahead_;
  std::vector<double> steps_ahead_;
  double start_ = 0, level_ = 0, slope_ = 0;  // C at first and now, and a
  Join join_;
  index_t dropped_ = -1;
  double dropped_sign_ = 0;
  bool by_rule_ = false, complete_ = false, going_ = false;
  index_t steps_ = 0;
};

// The source that is most correlated with the response; ties go to the smallest index.
Join Lars::first_join() {
  double largest = 0;
  for (index_t j = 0; j < sources_.size(); ++j)
    if (candidate(j)) largest = std::max(largest, std::abs(correlations_.value(j)));
  Join best;
  const double least = largest - 2 * correlations_.value_error();
  for (index_t j = 0; j < sources_.size(); ++j) {
    if (!candidate(j) || std::abs(correlations_.value(j)) < least) continue;
    sources_.column(j, trial_.data());
    const double c = dot(trial_, r_);
    if (std::abs(c) <= level_) continue;
    level_ = std::abs(c);
    best.source = j;
    best.sign = c > 0 ? 1 : -1;
    best.column = trial_;
  }
  return best;
}

bool Lars::enter() {
  const index_t j = join_.source;
  if (j < 0) return false;
  if (!active_.append(j, join_.column.data(), kDependent)) {
    blocked_[at(j)] = 1;
    return false;
  }
  sign_.push_back(join_.sign);
  beta_.push_back(0);
  is_active_[at(j)] = 1;
  correlations_.enter(j, ahead_, r_, active_);
  return true;
}

// Equiangular direction: G w = a s, u = Z_A w (Efron et al., equations 2.5 and 2.6). Where rounding
// makes G singular there is none, and the path ends.
bool Lars::set_direction() {
  active_.solve(sign_, w_);
  const double square = dot(w_, sign_);
  if (!(square > 0) || !std::isfinite(square)) return false;
  slope_ = 1 / std::sqrt(square);
  for (double& w : w_) w *= slope_;
  active_.combine(w_, u_.data());
  correlations_.set_slopes(active_, w_, u_, r_, slope_, level_);
  return true;
}

// The smallest step at which another source is as correlated as the active ones (Efron et al.,
// equation 2.13).
Join Lars::next_join() {
  Join best;
  for (const Bound& bound : possible_joins()) {
    if (bound.low > best.gamma) break;
    consider(bound, best);
  }
  return best;
}

// Sources whose step may be the smallest, given the error of c and b, by their lower bound.
std::vector<Lars::Bound> Lars::possible_joins() {
  const double c_error = correlations_.value_error(), b_error = correlations_.slope_error();
  double least = level_ / slope_;
  std::vector<Bound> found;
  steps_ahead_.clear();
  ahead_.clear();
  for (index_t j = 0; j < sources_.size(); ++j) {
    if (!candidate(j)) continue;
    for (int s = -1; s <= 1; s += 2) {
      if (j == dropped_ && s == dropped_sign_) continue;
      const double gap = level_ - s * correlations_.value(j),
                   rate = slope_ - s * correlations_.slope(j);
      if (rate <= -b_error) continue;
      const double low = std::max(0.0, gap - c_error) / (rate + b_error);
      if (rate > 0) look_ahead(gap / rate, j);
      if (low > least) continue;
      found.push_back({low, j, s});
      if (rate > b_error)
        least = std::min(least, (std::max(gap, 0.0) + c_error) / (rate - b_error));
    }
  }
  const auto end =
      std::remove_if(found.begin(), found.end(), [&](const Bound& b) { return b.low > least; });
  found.erase(end, found.end());
  std::stable_sort(found.begin(), found.end(),
                   [](const Bound& a, const Bound& b) { return a.low < b.low; });
  return found;
}

// The sources with the smallest steps along this direction, which are likely to enter soon.
void Lars::look_ahead(double gamma, index_t j) {
  if (ahead_.size() == kAhead && gamma >= steps_ahead_.back()) return;
  const auto place = std::upper_bound(steps_ahead_.begin(), steps_ahead_.end(), gamma);
  ahead_.insert(ahead_.begin() + (place - steps_ahead_.begin()), j);
  steps_ahead_.insert(place, gamma);
  if (ahead_.size() <= kAhead) return;
  ahead_.pop_back();
  steps_ahead_.pop_back();
}

void Lars::consider(const Bound& bound, Join& best) {
  sources_.column(bound.source, trial_.data());
  const double gap = level_ - bound.sign * dot(trial_, r_);
  const double rate = slope_ - bound.sign * dot(trial_, u_);
  if (std::abs(gap) <= 1e-9 * level_ && std::abs(rate) <= 1e-9 * slope_) {
    blocked_[at(bound.source)] = 1;  // it moves with the active ones: in their span
    return;
  }
  if (rate <= 1e-12 * slope_) return;
  const double gamma = std::max(0.0, gap) / rate;
  const bool tie = gamma == best.gamma && bound.source < best.source;
  if (!(gamma < best.gamma) && !tie) return;
  best.gamma = gamma;
  best.source = bound.source;
  best.sign = bound.sign;
  best.column = trial_;
}

// The smallest step at which an active coefficient comes back to 0 (Efron et al., equation 3.4).
index_t Lars::next_drop(double& gamma) const {
  index_t found = -1;
  if (options_.method != PathOptions::Method::lasso) return found;
  for (index_t k = 0; k < active_.size(); ++k) {
    if (sign_[at(k)] * w_[at(k)] >= 0) continue;
    const double step = -beta_[at(k)] / w_[at(k)];
    if (step >= gamma) continue;
    gamma = step;
    found = k;
  }
  return found;
}

void Lars::move(double gamma) {
  for (std::size_t k = 0; k < beta_.size(); ++k) beta_[k] += gamma * w_[k];
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] -= gamma * u_[i];
  correlations_.move(gamma);
  level_ = std::max(0.0, level_ - gamma * slope_);
  pin_active();
}

void Lars::pin_active() {
  for (index_t k = 0; k < active_.size(); ++k)
    correlations_.pin(active_.source(k), sign_[at(k)] * level_);
}

// Residual and common correlation from the coefficients, which ends the drift of their updates.
void Lars::settle() {
  std::vector<double> c(beta_.size());
  active_.combine(beta_, u_.data());
  for (std::size_t i = 0; i < r_.size(); ++i) r_[i] = y_[i] - u_[i];
  active_.correlations(r_.data(), c);
  level_ = dot(c, sign_) / static_cast<double>(c.size());
}

void Lars::drop(index_t k) {
  dropped_ = active_.source(k);
  dropped_sign_ = sign_[at(k)];
  is_active_[at(dropped_)] = 0;
  active_.remove(k);
  beta_.erase(beta_.begin() + k);
  sign_.erase(sign_.begin() + k);
  std::fill(blocked_.begin(), blocked_.end(), 0);
}

// Traps that are more correlated with the residual than the active sources.
index_t Lars::traps() const {
  index_t count = 0;
  for (index_t j = 0; j < sources_.size(); ++j)
    count += sources_.role(j) == Role::trap && std::abs(correlations_.value(j)) > level_;
  return count;
}

// All the way along the last direction: the least-squares fit of the active sources.
void Lars::end_in_least_squares() {
  if (!options_.least_squares_end || active_.size() == 0) return;
  active_.solve_least_squares(y_, beta_);
  settle();
  recorder_.store_end(active_, beta_, Breakpoint(), r_);
}

bool Lars::take_down(Breakpoint point) {
  point.correlation = level_;
  point.traps = traps();
  return recorder_.record(active_, beta_, point, r_);
}

bool Lars::start() {
  correlations_.refresh(r_);
  join_ = first_join();
  start_ = level_;
  by_rule_ = take_down(Breakpoint());
  // A correlation below the rounding of its sum is none.
  const auto rows = static_cast<double>(y_.size());
  const bool nothing = start_ <= 1e-12 * std::sqrt(rows * dot(y_, y_));
  complete_ = join_.source < 0 || nothing;
  return !by_rule_ && !complete_;
}

// To the next breakpoint: a source enters where the last step ended, one may leave at this one's
// end.
void Lars::step() {
  Breakpoint point;
  if (enter()) point.entered = join_.source;
  complete_ = !set_direction();
  if (complete_) return;
  join_ = next_join();
  const double whole = level_ / slope_;
  double gamma = std::min(join_.gamma, whole);
  const index_t leaving = next_drop(gamma);
  dropped_ = -1;
  complete_ = leaving < 0 && gamma >= whole;
  move(gamma);
  if (leaving >= 0) {
    point.left = active_.source(leaving);
    beta_[at(leaving)] = 0;
    join_ = Join();
  }
  by_rule_ = take_down(point);
  if (leaving >= 0) drop(leaving);
  complete_ = complete_ || level_ <= 1e-8 * start_ || active_.size() == 0;
}

void Lars::advance(index_t steps) {
  for (index_t k = 0; k < steps && !ended(); ++k) {
    context_.check();
    if (++steps_ % kSettle == 0) settle();
    step();
    going_ = !by_rule_ && !complete_;
  }
}

Path Lars::finish() {
  if (!complete_) end_in_least_squares();
  return recorder_.finish(by_rule_    ? Path::End::rule
                          : complete_ ? Path::End::complete
                                      : Path::End::steps);
}

}  // namespace

std::unique_ptr<Follower> make_lars(GramCache& cache, const std::vector<double>& response,
                                    const PathOptions& options, const HeldOut* held,
                                    Context& context) {
  return std::make_unique<Lars>(cache, response, options, held, context);
}

std::unique_ptr<Follower> make_follower(GramCache& cache, const std::vector<double>& response,
                                        const PathOptions& options, const HeldOut* held,
                                        Context& context) {
  using Method = PathOptions::Method;
  if (options.method == Method::lasso || options.method == Method::lar)
    return make_lars(cache, response, options, held, context);
  return make_pursuit(cache.sources(), response, options, held, context);
}

Path follow_path(GramCache& cache, const std::vector<double>& response, const PathOptions& options,
                 const HeldOut* held, Context& context) {
  const auto follower = make_follower(cache, response, options, held, context);
  follower->advance(options.max_steps);
  return follower->finish();
}

}  // namespace flexkern
