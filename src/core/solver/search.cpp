#include "search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace flexkern {
namespace {

// A risk has settled when it moved by less than this share between two checks and its systems'
// relative residuals are small, or when it moved by less than a tenth of the share.
constexpr double kSettledRace = 1e-3, kSettledFull = 1e-5;
constexpr double kResidualRace = 0.05, kResidualFull = 1e-3;
// Checks follow each other at steps growing by a quarter.
index_t next_check(index_t step) { return step + std::max<index_t>(4, step / 4); }
// No pair is dropped before so many steps, nor within this margin of the best risk seen.
constexpr index_t kFairStart = 12;
constexpr double kMargin = 1.02;
// A falling risk is credited with so many more falls of the size of its last one.
constexpr double kCredit = 8;

// The penalties of one gamma that are still open, with their risks at the last two checks.
class Race {
 public:
  Race(const SearchOptions& options, double best, std::size_t count)
      : options_(options), best_(best), risk_(count, 0), settled_(count, 0) {
    for (std::size_t l = 0; l < count; ++l) open_.push_back(l);
  }

  std::vector<double> open_lambdas(const std::vector<double>& lambdas) const {
    std::vector<double> values;
    for (std::size_t l : open_) values.push_back(lambdas[l]);
    return values;
  }

  void update(index_t step, const std::vector<KrylovPath::Estimate>& now, bool exhausted) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::size_t l = open_[i];
      const double fall = first_ ? now[i].risk : risk_[l] - now[i].risk;
      risk_[l] = now[i].risk;
      if (exhausted || is_settled(fall, now[i])) {
        settled_[l] = 1;
        best_ = std::min(best_, risk_[l]);
      } else {
        left.push_back(l);
        falls_.resize(risk_.size());
        falls_[l] = fall;
      }
    }
    open_.swap(left);
    first_ = false;
    if (options_.race && step >= kFairStart) drop_hopeless();
  }

  bool finished() const { return open_.empty(); }
  double best() const { return best_; }
  double risk(std::size_t l) const { return risk_[l]; }
  bool settled(std::size_t l) const { return settled_[l] != 0; }

 private:
  bool is_settled(double fall, const KrylovPath::Estimate& now) const {
    if (first_) return false;
    const double share = options_.race ? kSettledRace : kSettledFull;
    const double residual = options_.race ? kResidualRace : kResidualFull;
    const double move = std::fabs(fall);
    return move <= (now.residual <= residual ? share : 0.1 * share) * now.risk;
  }

  void drop_hopeless() {
    open_.erase(std::remove_if(open_.begin(), open_.end(),
                               [&](std::size_t l) {
                                 const double credit = kCredit * std::max(0.0, falls_[l]);
                                 return risk_[l] - credit > kMargin * best_;
                               }),
                open_.end());
  }

  const SearchOptions& options_;
  double best_;
  bool first_ = true;
  std::vector<std::size_t> open_;
  std::vector<double> risk_, falls_;
  std::vector<char> settled_;
};

}  // namespace

Choice best_choice(const Surface& surface) {
  Choice best;
  bool best_settled = false;
  for (std::size_t l = 0; l < surface.lambdas.size(); ++l)
    for (std::size_t g = 0; g < surface.gammas.size(); ++g) {
      const double risk = surface.risk[surface.at(g, l)];
      const bool settled = surface.settled[surface.at(g, l)] != 0;
      const bool tie = risk == best.risk &&
                       (surface.lambdas[l] > best.lambda ||
                        (surface.lambdas[l] == best.lambda && surface.gammas[g] < best.gamma));
      if (settled < best_settled || (settled == best_settled && !(risk < best.risk || tie)))
        continue;
      best = {surface.gammas[g], surface.lambdas[l], risk};
      best_settled = settled;
    }
  return best;
}

void search_krylov(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram,
                   const Micro& micro, int threads, const SearchOptions& options, Context& context,
                   Surface& surface) {
  const std::size_t count = surface.gammas.size();
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto from_middle = [count](std::size_t g) {
    return std::fabs(static_cast<double>(g) - 0.5 * static_cast<double>(count - 1));
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return from_middle(a) < from_middle(b); });
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t g : order) {
    gram.set_gamma(surface.gammas[g]);
    KrylovPath path(plan, responses, gram, micro, threads, context);
    Race race(options, best, surface.lambdas.size());
    for (index_t check = 4; !race.finished(); check = next_check(check)) {
      while (path.steps() < check && !path.exhausted()) path.step();
      const bool last = path.exhausted() || path.steps() >= options.max_iter;
      race.update(path.steps(), path.evaluate(race.open_lambdas(surface.lambdas), options.clip),
                  last);
    }
    best = race.best();
    surface.steps[g] = path.steps();
    for (std::size_t l = 0; l < surface.lambdas.size(); ++l) {
      surface.risk[surface.at(g, l)] = race.risk(l);
      surface.settled[surface.at(g, l)] = race.settled(l);
    }
  }
}

}  // namespace flexkern
