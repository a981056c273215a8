#include "search.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "descent.h"
#include "race.h"
#include "times.h"

namespace flexkern {

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

// Steps that every gamma gets before the promising ones go on.
constexpr index_t kHeat = 16;
// Nothing is dropped before so many.
constexpr index_t kFairStart = 8;
// The share of its steps so far that a Krylov process needs for one penalty more.
constexpr double kFurther = 0.7;
// So much faster have pairs by low-rank factors to be than the estimates tell, since several of
// them are settled on the way downhill.
constexpr double kPairs = 4;
// A gamma whose least estimate is this much above the best risk ends the way outwards.
constexpr double kRise = 1.02;

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
  Tournament(const SearchTask& task, Surface& surface)
      : task_(task), surface_(surface), settler_(task, surface) {}

  void run() {
    lanes_.resize(surface_.gammas.size());
    for (std::size_t g : from_middle(lanes_.size())) start(g);
    const auto better = [](const auto& a, const auto& b) { return a->least() < b->least(); };
    const std::size_t first = static_cast<std::size_t>(
        std::min_element(lanes_.begin(), lanes_.end(), better) - lanes_.begin());
    finish(first);
    report(1);
    // Outwards from the most promising gamma, until the risk has risen on both sides.
    bool falling = true;
    for (std::size_t g = first; g-- > 0;) falling = visit(g, falling);
    falling = true;
    for (std::size_t g = first + 1; g < lanes_.size(); ++g) falling = visit(g, falling);
    lanes_.clear();
    if (pairs_settled_) descend(task_, kOpen * best_, kAnyEstimate, surface_);
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
    lanes_[g] = std::make_unique<Lane>(task_, surface_, g);
    Lane& lane = *lanes_[g];
    while (!lane.finished() && lane.next_check() <= kHeat) {
      advance(lane);
      if (lane.steps() >= kFairStart) lane.compare(best_);
    }
    report(start_share());
  }

  // What a start takes beside a visit, which without the race settles every penalty.
  double start_share() const { return task_.options.race ? 1 : 0.2; }

  // Every gamma is started and visited once.
  void report(double share) {
    const double all = (1 + start_share()) * static_cast<double>(surface_.gammas.size());
    done_ += share;
    if (task_.report) task_.report(done_ / all);
  }

  bool visit(std::size_t g, bool falling) {
    const double limit = kRise * best_;
    if (!task_.options.race || falling || lanes_[g]->least() <= limit) finish(g);
    report(1);
    return falling && lanes_[g]->least() <= limit;
  }

  void finish(std::size_t g) {
    Lane& lane = *lanes_[g];
    lane.compare(best_);
    if (lane.finished()) return;
    task_.gram.set_gamma(surface_.gammas[g]);
    while (!lane.finished() && !prefer_pairs(lane)) {
      advance(lane);
      lane.compare(best_);
    }
    if (!lane.finished()) settle(lane);
    lane.release();
  }

  void advance(Lane& lane) {
    lane.advance();
    best_ = std::min(best_, lane.least_settled());
  }

  // Whether settling a pair alone takes less time than the steps that the process needs for its
  // next penalty.
  bool prefer_pairs(const Lane& lane) {
    if (!task_.options.direct) return false;
    const double further = kFurther * static_cast<double>(lane.steps()) * product_time(task_);
    if (further > factor_time(task_)) return true;
    return further > kPairs * settler_.least_time() &&
           further > kPairs * settler_.time(lane.gamma());
  }

  // A race goes downhill from the least estimate; the full search settles all pairs.
  void settle(Lane& lane) {
    const std::size_t g = lane.gamma();
    if (task_.options.race) settler_.settle_downhill(g);
    for (std::size_t l = 0; l < surface_.lambdas.size() && !task_.options.race; ++l)
      if (!surface_.settled[surface_.at(g, l)]) settler_.settle(g, l);
    lane.take_settled();
    best_ = std::min(best_, lane.least_settled());
    pairs_settled_ = true;
  }

  const SearchTask& task_;
  Surface& surface_;
  PairSettler settler_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  double best_ = std::numeric_limits<double>::infinity();
  bool pairs_settled_ = false;
  double done_ = 0;
};

}  // namespace

void search_krylov(const SearchTask& task, Surface& surface) { Tournament(task, surface).run(); }

}  // namespace flexkern
