#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/solver/dense.h"
#include "core/solver/frontier.h"
#include "core/solver/sample.h"
#include "core/solver/sweep.h"
#include "naive.h"

namespace flexkern {
namespace {

struct Setting {
  Data x, y;
  Validation validation;
  Kernel kernel = radial(1);
  SearchOptions options = {};
  std::vector<double> gammas = {0.05, 0.15, 0.5, 1.5, 5, 15, 50};
  std::vector<double> lambdas = {1e-1, 2e-2, 4e-3, 8e-4, 1.6e-4, 3e-5, 6e-6};
};

Setting setting(index_t n, index_t d, index_t responses, double noise, std::uint64_t seed) {
  const Data x = uniform_data(n, d, seed);
  return {x, waves(x, responses, noise, seed + 1), deal(n, 5)};
}

// What a search needs, for one setting.
class Bench {
 public:
  explicit Bench(const Setting& s, int threads = 1)
      : s_(s), device_(make_device("cpu", "auto")), threads_(threads) {
    context_.seed = 3;
    gram_ = device_->gram(s.x.view(), s.kernel, threads, context_);
    plan_ = std::make_unique<FoldPlan>(s.validation.plan(gram_->stride()));
  }
  SearchTask task() {
    return {*plan_,
            s_.y.view(),
            s_.x.view(),
            s_.kernel,
            *gram_,
            *device_,
            threads_,
            s_.options,
            context_,
            [this](double share) {
              EXPECT_GE(share, reported_);
              reported_ = share;
            }};
  }
  Surface search() {
    Surface surface(s_.gammas, s_.lambdas);
    search_levels(task(), 1, surface);
    return surface;
  }
  Surface exact() {
    Surface surface(s_.gammas, s_.lambdas);
    search_dense(*plan_, s_.y.view(), s_.x.view(), s_.kernel, *device_, s_.options, context_,
                 surface);
    return surface;
  }
  double reported() const { return reported_; }

 private:
  const Setting& s_;
  std::unique_ptr<Device> device_;
  int threads_;
  Context context_;
  std::unique_ptr<GramMatrix> gram_;
  std::unique_ptr<FoldPlan> plan_;
  double reported_ = 0;
};

std::size_t best_pair(const Surface& surface) {
  std::size_t best = surface.risk.size();
  for (std::size_t i = 0; i < surface.risk.size(); ++i)
    if (surface.settled[i] && (best == surface.risk.size() || surface.risk[i] < surface.risk[best]))
      best = i;
  return best;
}

index_t size(index_t n) { return slow_run() ? 620 : n; }

void expect_nearly_best(const Setting& s) {
  Bench bench(s);
  const Surface exact = bench.exact(), found = bench.search();
  const double least = *std::min_element(exact.risk.begin(), exact.risk.end());
  EXPECT_LE(exact.risk[best_pair(found)], 1.005 * least);
  EXPECT_GT(bench.reported(), 0.3);
  EXPECT_LE(bench.reported(), 1);
}

TEST(Frontier, FindsAPairNearlyAsGoodAsTheBest) {
  for (const index_t d : {1, 2, 5})
    for (const double noise : {0.1, 0.8}) expect_nearly_best(setting(size(750), d, 1, noise, 7));
}

TEST(Frontier, ManyResponsesAreMixedBelow) { expect_nearly_best(setting(size(700), 2, 6, 0.5, 9)); }

TEST(Frontier, RisksOfSettledPairsAreAccurate) {
  const Setting s = setting(size(900), 3, 1, 0.4, 11);
  Bench bench(s);
  const Surface exact = bench.exact(), found = bench.search();
  const index_t settled = std::count(found.settled.begin(), found.settled.end(), 1);
  EXPECT_GT(settled, 0);
  EXPECT_LT(settled, static_cast<index_t>(found.settled.size()));
  for (std::size_t i = 0; i < found.risk.size(); ++i)
    if (found.settled[i]) {
      EXPECT_NEAR(found.risk[i], exact.risk[i], 5e-3 * exact.risk[i]) << i;
    }
}

// The order of the gammas is the caller's.
TEST(Frontier, UnsortedGammas) {
  Setting s = setting(size(750), 2, 1, 0.4, 13);
  const Surface sorted = Bench(s).search();
  const std::size_t best = best_pair(sorted);
  std::reverse(s.gammas.begin(), s.gammas.end());
  const Surface reversed = Bench(s).search();
  const std::size_t other = best_pair(reversed);
  const std::size_t count = s.gammas.size();
  EXPECT_EQ(reversed.gammas[other % count], sorted.gammas[best % count]);
  EXPECT_EQ(other / count, best / count);
}

TEST(Frontier, ThreadsGiveTheSameBits) {
  const Setting s = setting(size(1300), 2, 1, 0.4, 15);
  const Surface one = Bench(s, 1).search();
  for (const int threads : {2, 3}) {
    const Surface now = Bench(s, threads).search();
    EXPECT_EQ(now.risk, one.risk);
    EXPECT_EQ(now.settled, one.settled);
  }
}

TEST(Sample, KeepsItsShareOfEveryFold) {
  Setting s = setting(300, 2, 1, 0.4, 17);
  s.validation.weights = exact_weights(300, 3);
  Bench bench(s);
  const SearchTask whole = bench.task();
  const Sample sample(whole, 0.5, 4, nullptr);
  const SearchTask& part = sample.task();
  EXPECT_EQ(part.plan.n, 150);
  EXPECT_EQ(part.plan.folds.size(), whole.plan.folds.size());
  std::vector<int> held(150, 0);
  for (const Fold& fold : part.plan.folds) {
    EXPECT_EQ(fold.held_out.size(), 30u);
    for (index_t i : fold.held_out) {
      ++held[at(i)];
      EXPECT_EQ(fold.mask[i], 0);
    }
  }
  EXPECT_EQ(held, std::vector<int>(150, 1));
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Smooth data settle after a few steps, and the sweep then settles the larger penalties exactly.
TEST(Sweep, SettlesWhatItsStepsAreEnoughFor) {
  const Setting s = setting(400, 1, 1, 0.3, 19);
  Bench bench(s);
  const Surface exact = bench.exact();
  Surface known = exact;
  const index_t steps = steps_to_settle(bench.task(), known, 200);
  EXPECT_GT(steps, 0);
  EXPECT_EQ(steps_to_settle(bench.task(), known, 3), 0);
  Surface surface(s.gammas, s.lambdas);
  const SearchTask task = bench.task();
  const std::size_t g = best_pair(exact) % s.gammas.size();
  Sweep(task, surface, 0).run(g, kInfinite);
  EXPECT_EQ(std::count(surface.settled.begin(), surface.settled.end(), 1), 0);
  Sweep(task, surface, steps).run(g, kInfinite);
  EXPECT_LE(surface.risk[best_pair(surface)], 1.003 * exact.risk[best_pair(exact)]);
  for (std::size_t i = 0; i < exact.risk.size(); ++i)
    if (surface.settled[i]) {
      EXPECT_NEAR(surface.risk[i], exact.risk[i], 1e-2 * exact.risk[i]) << i;
    }
}

// What cannot win ends early, and its bounds say so; bounds are below the exact risks elsewhere.
TEST(Sweep, RacesAgainstTheBestRisk) {
  const Setting s = setting(400, 2, 1, 0.3, 21);
  Bench bench(s);
  const Surface exact = bench.exact();
  const double least = *std::min_element(exact.risk.begin(), exact.risk.end());
  const SearchTask task = bench.task();
  Surface surface(s.gammas, s.lambdas);
  Sweep sweep(task, surface, 8);
  for (std::size_t g = 0; g < s.gammas.size(); ++g) {
    EXPECT_EQ(sweep.bound(g, 0), 0);
    sweep.run(g, least);
    EXPECT_LE(surface.steps[g], 24);
    for (std::size_t l = 0; l < s.lambdas.size(); ++l) {
      const std::size_t i = surface.at(g, l);
      if (sweep.bound(g, l) > least) {
        EXPECT_GT(exact.risk[i], 0.998 * least) << g << ' ' << l;
      }
    }
  }
  const index_t lost = surface.steps[0];
  Surface alone(s.gammas, s.lambdas);
  Sweep(task, alone, 8).run(0, kInfinite);
  EXPECT_LE(lost, alone.steps[0]);
  EXPECT_EQ(sweep.bound(0, 0), kInfinite);
}

}  // namespace
}  // namespace flexkern
