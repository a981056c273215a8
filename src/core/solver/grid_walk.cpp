#include "grid_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace flexkern {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kGood = 1.005;
// Pairs this much above the best one say nothing about their neighbours.
constexpr double kNear = 1.1;
// A valley of the surface below that is at most so much above its best pair is looked at, too.
constexpr double kValley = 1.5;
// A step counts in full when it multiplies gamma or divides the penalty by so much.
constexpr double kGammaStep = 2, kLambdaStep = 4;
// What a pair leaves of the progress.
constexpr double kLeft = 0.85;

class Walk {
 public:
  Walk(const Surface& below, const Margins& margins, Surface& surface, PairSource& source)
      : below_(below),
        margins_(margins),
        surface_(surface),
        source_(source),
        order_(surface.gammas.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return surface_.gammas[a] < surface_.gammas[b];
    });
    surface_.risk = below_.risk;
  }

  void run() {
    double left = 1;
    const auto settle = [&](const Candidate& pair) {
      source_.settle(order_[pair.g], pair.l, best());
      source_.report(1 - (left *= kLeft));
    };
    for (const Candidate& valley : valleys()) settle(valley);
    for (Candidate next = best_candidate(); next.expected < kInfinite; next = best_candidate())
      settle(next);
  }

 private:
  // A pair, its gamma by its place in rising order, and its expected risk.
  struct Candidate {
    std::size_t g = 0, l = 0;
    double expected = kInfinite;
  };

  std::size_t at(std::size_t g, std::size_t l) const { return surface_.at(order_[g], l); }
  double best() const {
    double best = kInfinite;
    for (std::size_t i = 0; i < surface_.risk.size(); ++i)
      if (surface_.settled[i]) best = std::min(best, surface_.risk[i]);
    return best;
  }
  template <typename F>
  void for_pairs(F f) const {
    for (std::size_t l = 0; l < surface_.lambdas.size(); ++l)
      for (std::size_t g = 0; g < order_.size(); ++g) f(g, l);
  }

  // The best pairs of gammas that beat both of their neighbours below, the very best one first. On
  // the way to narrower kernels, where more rows gain most, it is enough that the risk rises at
  // most half as fast as before, and faster thereafter.
  std::vector<Candidate> valleys() const {
    std::vector<Candidate> least(order_.size()), found;
    for_pairs([&](std::size_t g, std::size_t l) {
      const std::size_t i = at(g, l);
      if (below_.settled[i] && below_.risk[i] < least[g].expected)
        least[g] = {g, l, below_.risk[i]};
    });
    const auto rise = [&](std::size_t g) {  // from the wider neighbour
      if (g == 0) return 0.0;
      return g < least.size() ? least[g].expected / least[g - 1].expected : kInfinite;
    };
    std::size_t best = 0;
    for (std::size_t g = 0; g < least.size(); ++g)
      if (least[g].expected < least[best].expected) best = g;
    for (std::size_t g = 0; g < least.size(); ++g) {
      const bool lowest = rise(g) < 1 && rise(g + 1) >= 1;
      const bool slower = g > best && rise(g) - 1 < (rise(g - 1) - 1) / 2 && rise(g) < rise(g + 1);
      if (lowest || slower) found.push_back(least[g]);
    }
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
      return a.expected < b.expected;
    });
    while (!found.empty() && found.back().expected > kValley * found.front().expected)
      found.pop_back();
    return found;
  }

  Candidate best_candidate() const {
    Candidate found;
    const double best = this->best();
    for_pairs([&](std::size_t g, std::size_t l) {
      if (surface_.settled[at(g, l)] || source_.bound(order_[g], l) > best) return;
      const double expected = this->expected(g, l, best);
      if (expected <= best && expected < found.expected) found = {g, l, expected};
    });
    return found;
  }

  // By the settled neighbour that promises most.
  double expected(std::size_t g, std::size_t l, double best) const {
    double most = kInfinite;
    for (int dg = -1; dg <= 1; ++dg)
      for (int dl = -1; dl <= 1; ++dl) {
        const std::size_t from_g = g + static_cast<std::size_t>(dg);
        const std::size_t from_l = l + static_cast<std::size_t>(dl);
        if (from_g >= order_.size() || from_l >= surface_.lambdas.size()) continue;
        const std::size_t from = at(from_g, from_l);
        if (surface_.settled[from] && surface_.risk[from] <= kNear * best)
          most = std::min(most, expect(from_g, from_l, g, l, best));
      }
    return most;
  }

  // It does as much better or worse as below. What is unknown there has to be tried or ignored.
  double expect(std::size_t from_g, std::size_t from_l, std::size_t g, std::size_t l,
                double best) const {
    const std::size_t from = at(from_g, from_l), to = at(g, l);
    const double risk = surface_.risk[from];
    const bool good = risk <= kGood * best;
    const double share = 1 + margin(from_g, from_l, g, l, good);
    if (below_.settled[from] && below_.settled[to])
      return risk * below_.risk[to] / below_.risk[from] / share;
    return good && (from_g == g || from_l == l) ? risk / share : kInfinite;
  }

  double margin(std::size_t g, std::size_t l, std::size_t to_g, std::size_t to_l, bool good) const {
    const double narrower =
        std::log(surface_.gammas[order_[to_g]] / surface_.gammas[order_[g]]) / std::log(kGammaStep);
    const double smaller =
        std::log(surface_.lambdas[l] / surface_.lambdas[to_l]) / std::log(kLambdaStep);
    const auto part = [](double step) { return std::min(1.0, std::max(0.0, step)); };
    const double largest = std::max(std::fabs(narrower), std::fabs(smaller));
    const double forward = good ? margins_.forward_from_good : margins_.forward;
    return margins_.any * part(largest) + forward * (part(narrower) + part(smaller));
  }

  const Surface& below_;
  const Margins& margins_;
  Surface& surface_;
  PairSource& source_;
  std::vector<std::size_t> order_;  // gammas, rising
};

}  // namespace

void walk_grid(const Surface& below, const Margins& margins, Surface& surface, PairSource& source) {
  Walk(below, margins, surface, source).run();
}

}  // namespace flexkern
