#include "race.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexkern {
namespace {

// A risk has settled when it moved by less than this share between two checks and its systems'
// relative residuals are small, or when it moved by less than a tenth of the share.
constexpr double kSettledRace = 1e-3, kSettledFull = 1e-5;
constexpr double kResidualRace = 0.05, kResidualFull = 1e-3;
// Checks follow each other at steps growing by a quarter.
index_t check_after(index_t step) { return step + std::max<index_t>(4, step / 4); }
// Along falling penalties the risk falls, then rises: once it is this much above its minimum, the
// smaller penalties are dropped.
constexpr double kRise = 1.02;
// While it still falls, each further penalty is credited with this multiple of the last fall, and
// dropped unless that makes it better than the best known one by a share that matters.
constexpr double kCredit = 3;
constexpr double kGain = 0.998;
// Steps to come lower a risk by at most this multiple of its last fall.
constexpr double kCourse = 4;

}  // namespace

Race::Race(const SearchOptions& options, std::size_t count)
    : options_(options), risk_(count, 0), fall_(count, 0), settled_(count, 0) {
  for (std::size_t l = 0; l < count; ++l) open_.push_back(l);
}

std::vector<double> Race::open_lambdas(const std::vector<double>& lambdas) const {
  std::vector<double> values;
  for (std::size_t l : open_) values.push_back(lambdas[l]);
  return values;
}

void Race::update(const std::vector<KrylovPath::Estimate>& now, bool last) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const std::size_t l = open_[i];
    const double move = first_ ? now[i].risk : std::fabs(risk_[l] - now[i].risk);
    fall_[l] = first_ ? now[i].risk : std::max(0.0, risk_[l] - now[i].risk);
    risk_[l] = now[i].risk;
    settled_[l] = last || is_settled(move, now[i]);
    if (!settled_[l]) left.push_back(l);
  }
  open_.swap(left);
  first_ = false;
}

void Race::compare(double best) {
  if (options_.race && !open_.empty() && hopeless(best)) open_.clear();
}

double Race::bound(std::size_t l) const { return (risk_[l] - kCourse * fall_[l]) / kGain; }

void Race::compare_course(double best) {
  const auto may_win = [&](std::size_t l) { return bound(l) <= best; };
  if (std::none_of(open_.begin(), open_.end(), may_win)) open_.clear();
}

double Race::least() const { return *std::min_element(risk_.begin(), risk_.end()); }

bool Race::is_settled(double move, const KrylovPath::Estimate& now) const {
  const double share = options_.race ? kSettledRace : kSettledFull;
  const double residual = options_.race ? kResidualRace : kResidualFull;
  return move <= (now.residual <= residual ? share : 0.1 * share) * now.risk;
}

bool Race::hopeless(double best) const {
  std::size_t head = 0;
  double least = std::numeric_limits<double>::infinity();
  for (; head < risk_.size() && settled_[head]; ++head) least = std::min(least, risk_[head]);
  if (head < 2) return false;
  const double risk = risk_[head - 1], fall = risk_[head - 2] - risk;
  if (risk > kRise * least) return true;
  const double further = kCredit * static_cast<double>(risk_.size() - head);
  return risk - further * std::max(fall, 0.0) > kGain * best;
}

Lane::Lane(const SearchTask& task, Surface& surface, std::size_t gamma)
    : task_(task),
      surface_(surface),
      gamma_(gamma),
      path_(task.plan, task.responses, task.gram, task.device.host(), task.threads, task.context),
      race_(task.options, surface.lambdas.size()) {}

void Lane::advance() {
  while (path_.steps() < check_ && !path_.exhausted()) path_.step();
  const bool last = path_.exhausted() || path_.steps() >= task_.options.max_iter;
  race_.update(path_.evaluate(race_.open_lambdas(surface_.lambdas), task_.options.clip), last);
  check_ = check_after(check_);
  surface_.steps[gamma_] = path_.steps();
  for (std::size_t l = 0; l < surface_.lambdas.size(); ++l) {
    surface_.risk[surface_.at(gamma_, l)] = race_.risk(l);
    surface_.settled[surface_.at(gamma_, l)] = race_.settled(l);
  }
}

void Lane::take_settled() {
  for (std::size_t l = 0; l < surface_.lambdas.size(); ++l) {
    const std::size_t at = surface_.at(gamma_, l);
    if (surface_.settled[at]) race_.settle(l, surface_.risk[at]);
  }
}

double Lane::least_settled() const {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t l = 0; l < surface_.lambdas.size(); ++l)
    if (race_.settled(l)) least = std::min(least, race_.risk(l));
  return least;
}

}  // namespace flexkern
