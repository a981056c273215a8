#include "search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "descent.h"

namespace flexkern {
namespace {

// A risk has settled when it moved by less than this share between two checks and its systems'
// relative residuals are small, or when it moved by less than a tenth of the share.
constexpr double kSettledRace = 1e-3, kSettledFull = 1e-5;
constexpr double kResidualRace = 0.05, kResidualFull = 1e-3;
// Checks follow each other at steps growing by a quarter.
index_t next_check(index_t step) { return step + std::max<index_t>(4, step / 4); }
// Along falling penalties the risk falls, then rises: once it is this much above its minimum, the
// smaller penalties are dropped.
constexpr double kRise = 1.02;
// While it still falls, each further penalty is credited with this multiple of the last fall, and
// dropped unless that makes it better than the best known one by a share that matters.
constexpr double kCredit = 3;
constexpr double kGain = 0.998;
// Steps that every gamma gets before the promising ones go on.
constexpr index_t kHeat = 16;
// Nothing is dropped before so many.
constexpr index_t kFairStart = 8;
// The share of its steps so far that the process needs for one penalty more.
constexpr double kFurther = 0.7;

// The penalties of one gamma, from the largest on. Large penalties settle first, so that the
// settled ones are a growing head of the list, and the others are judged by where its risks are
// going.
class Race {
 public:
  Race(const SearchOptions& options, std::size_t count)
      : options_(options), risk_(count, 0), settled_(count, 0) {
    for (std::size_t l = 0; l < count; ++l) open_.push_back(l);
  }

  std::vector<double> open_lambdas(const std::vector<double>& lambdas) const {
    std::vector<double> values;
    for (std::size_t l : open_) values.push_back(lambdas[l]);
    return values;
  }

  void update(const std::vector<KrylovPath::Estimate>& now, bool last) {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::size_t l = open_[i];
      const double move = first_ ? now[i].risk : std::fabs(risk_[l] - now[i].risk);
      risk_[l] = now[i].risk;
      settled_[l] = last || is_settled(move, now[i]);
      if (!settled_[l]) left.push_back(l);
    }
    open_.swap(left);
    first_ = false;
  }

  // Closes the race if no open penalty can be expected to win against a risk of `best`.
  void compare(double best) {
    if (options_.race && !open_.empty() && hopeless(best)) open_.clear();
  }
  double least() const { return *std::min_element(risk_.begin(), risk_.end()); }

  bool finished() const { return open_.empty(); }
  double risk(std::size_t l) const { return risk_[l]; }
  bool settled(std::size_t l) const { return settled_[l] != 0; }

 private:
  bool is_settled(double move, const KrylovPath::Estimate& now) const {
    const double share = options_.race ? kSettledRace : kSettledFull;
    const double residual = options_.race ? kResidualRace : kResidualFull;
    return move <= (now.residual <= residual ? share : 0.1 * share) * now.risk;
  }

  // Whether no open penalty can be expected to win.
  bool hopeless(double best) const {
    std::size_t head = 0;
    double least = std::numeric_limits<double>::infinity();
    for (; head < risk_.size() && settled_[head]; ++head) least = std::min(least, risk_[head]);
    if (head < 2) return false;
    const double risk = risk_[head - 1], fall = risk_[head - 2] - risk;
    if (risk > kRise * least) return true;
    const double further = kCredit * static_cast<double>(risk_.size() - head);
    return risk - further * std::max(fall, 0.0) > kGain * best;
  }

  const SearchOptions& options_;
  bool first_ = true;
  std::vector<std::size_t> open_;
  std::vector<double> risk_;
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

namespace {

// The Krylov spaces of one gamma and the race of its penalties.
struct Lane {
  std::size_t gamma;
  KrylovPath path;
  Race race;
  index_t check = 4;
};

// 0 .. count - 1, from the middle outwards: the best gamma is rarely at an end of the grid.
std::vector<std::size_t> from_middle(std::size_t count) {
  std::vector<std::size_t> order;
  const std::size_t middle = count / 2;
  for (std::size_t away = 0; order.size() < count; ++away) {
    if (middle + away < count) order.push_back(middle + away);
    if (away > 0 && away <= middle) order.push_back(middle - away);
  }
  return order;
}

class Tournament {
 public:
  Tournament(const SearchTask& task, Surface& surface) : task_(task), surface_(surface) {}

  void run() {
    lanes_.resize(surface_.gammas.size());
    for (std::size_t g : from_middle(lanes_.size())) start(g);
    const auto better = [](const auto& a, const auto& b) {
      return a->race.least() < b->race.least();
    };
    const std::size_t first = static_cast<std::size_t>(
        std::min_element(lanes_.begin(), lanes_.end(), better) - lanes_.begin());
    finish(first);
    report();
    // Outwards from the most promising gamma, until the risk has risen on both sides.
    bool falling = true;
    for (std::size_t g = first; g-- > 0;) falling = visit(g, falling);
    falling = true;
    for (std::size_t g = first + 1; g < lanes_.size(); ++g) falling = visit(g, falling);
    lanes_.clear();
    if (left_to_factors_) descend(task_, kOpen * best_, kAnyEstimate, surface_);
  }

 private:
  // A gamma left to the factors is looked at if its least estimate is within this multiple of the
  // best risk.
  static constexpr double kOpen = 1.1;
  // Estimates before convergence are too high rather than too low, and no reason to leave a pair
  // out.
  static constexpr double kAnyEstimate = std::numeric_limits<double>::infinity();

  void start(std::size_t g) {
    task_.gram.set_gamma(surface_.gammas[g]);
    lanes_[g] = std::make_unique<Lane>(Lane{g,
                                            KrylovPath(task_.plan, task_.responses, task_.gram,
                                                       task_.micro, task_.threads, task_.context),
                                            Race(task_.options, surface_.lambdas.size())});
    Lane& lane = *lanes_[g];
    while (!lane.race.finished() && lane.check <= kHeat) {
      advance(lane);
      if (lane.path.steps() >= kFairStart) lane.race.compare(best_);
    }
    report();
  }

  // Every gamma is started and visited once.
  void report() {
    const double all = 2 * static_cast<double>(surface_.gammas.size());
    if (task_.report) task_.report(static_cast<double>(++milestones_) / all);
  }

  bool visit(std::size_t g, bool falling) {
    const double limit = kRise * best_;
    if (!task_.options.race || falling || lanes_[g]->race.least() <= limit) finish(g);
    report();
    return falling && lanes_[g]->race.least() <= limit;
  }

  void finish(std::size_t g) {
    Lane& lane = *lanes_[g];
    lane.race.compare(best_);
    if (lane.race.finished()) return;
    task_.gram.set_gamma(surface_.gammas[g]);
    while (!lane.race.finished() && !prefer_direct(lane)) {
      advance(lane);
      lane.race.compare(best_);
    }
    if (!lane.race.finished()) factorise(lane);
    lane.path.release();
  }

  // Steps to the next check of all open penalties.
  void advance(Lane& lane) {
    while (lane.path.steps() < lane.check && !lane.path.exhausted()) lane.path.step();
    const bool last = lane.path.exhausted() || lane.path.steps() >= task_.options.max_iter;
    const auto open = lane.race.open_lambdas(surface_.lambdas);
    lane.race.update(lane.path.evaluate(open, task_.options.clip), last);
    lane.check = next_check(lane.check);
    record(lane);
  }

  // The next penalty takes the process about kFurther of its steps more; a factorisation takes what
  // it takes.
  bool prefer_direct(const Lane& lane) const {
    if (!task_.options.direct) return false;
    const FoldPlan& plan = task_.plan;
    const double product =
        product_cost(plan, static_cast<index_t>(plan.folds.size()) * task_.responses.cols());
    return kFurther * static_cast<double>(lane.path.steps()) * product >
           factor_cost(plan, factor_groups(plan, task_.responses.cols())) + product;
  }

  // A race leaves the open pairs to the descent; the full search settles them all.
  void factorise(Lane& lane) {
    if (task_.options.race) {
      left_to_factors_ = true;
      return;
    }
    PairSettler settler(task_, surface_);
    for (std::size_t l = 0; l < surface_.lambdas.size(); ++l)
      if (!surface_.settled[surface_.at(lane.gamma, l)]) settler.settle(lane.gamma, l);
  }

  void record(const Lane& lane) {
    surface_.steps[lane.gamma] = lane.path.steps();
    for (std::size_t l = 0; l < surface_.lambdas.size(); ++l) {
      surface_.risk[surface_.at(lane.gamma, l)] = lane.race.risk(l);
      surface_.settled[surface_.at(lane.gamma, l)] = lane.race.settled(l);
      if (lane.race.settled(l)) best_ = std::min(best_, lane.race.risk(l));
    }
  }

  const SearchTask& task_;
  Surface& surface_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  double best_ = std::numeric_limits<double>::infinity();
  bool left_to_factors_ = false;
  int milestones_ = 0;
};

}  // namespace

void search_krylov(const SearchTask& task, Surface& surface) { Tournament(task, surface).run(); }

}  // namespace flexkern
