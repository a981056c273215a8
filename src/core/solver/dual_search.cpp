#include "dual_search.h"

#include <algorithm>

#include "grid_walk.h"
#include "race.h"
#include "sample.h"

namespace flexkern {
namespace {

// The gap at which a problem counts as solved.
constexpr double kGapRace = 1e-2, kGapFull = 1e-4;
// Large penalties leave little but the constant, and a risk within this share of that of the
// largest one: it says nothing of what smaller ones will do. A neighbouring kernel leaves that
// level at most so many penalties later.
constexpr double kLevel = 0.95;
constexpr std::size_t kLater = 2;

double least_settled(const Surface& surface) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < surface.risk.size(); ++i)
    if (surface.settled[i]) least = std::min(least, surface.risk[i]);
  return least;
}

// Puts the risk of a pair on the surface.
void settle_pair(DualFolds& folds, std::size_t g, std::size_t l, double tol, Surface& surface) {
  const std::size_t at = surface.at(g, l), pairs = surface.risk.size();
  surface.risk[at] = folds.risk(surface.gammas[g], surface.lambdas[l], tol);
  surface.settled[at] = 1;
  for (std::size_t c = 0; c * pairs < surface.each.size(); ++c)
    surface.each[at + c * pairs] = folds.each()[c];
}

// The whole grid, gamma by gamma.
class WholeSearch {
 public:
  WholeSearch(const DualTask& task, Surface& surface)
      : task_(task), surface_(surface), folds_(task, true) {}

  // From the middle width to both ends.
  void run() {
    const std::size_t count = surface_.gammas.size(), middle = count / 2;
    const std::size_t left = search(middle, surface_.lambdas.size());
    std::size_t near = left;
    for (std::size_t g = middle + 1; g < count; ++g) near = search(g, near + kLater);
    near = left;
    for (std::size_t g = middle; g-- > 0;) near = search(g, near + kLater);
  }

 private:
  // The penalties from the largest on, each from the solution of the one before; in a race as long
  // as they may win. Up to `last` they may stay on the level of the first; returns where they left
  // it, or else `last`.
  std::size_t search(std::size_t g, std::size_t last) {
    const bool race = task_.options.race;
    Race penalties(task_.options, surface_.lambdas.size());
    std::size_t left = last;
    for (std::size_t l = 0; l < surface_.lambdas.size() && !penalties.finished(); ++l) {
      settle_pair(folds_, g, l, race ? kGapRace : kGapFull, surface_);
      const double risk = surface_.risk[surface_.at(g, l)];
      penalties.settle(l, risk);
      if (risk <= kLevel * surface_.risk[surface_.at(g, 0)]) left = std::min(left, l);
      if (l >= left) penalties.compare(least_settled(surface_));
    }
    ++done_;
    if (task_.report)
      task_.report(static_cast<double>(done_) / static_cast<double>(surface_.gammas.size()));
    return left;
  }

  const DualTask& task_;
  Surface& surface_;
  DualFolds folds_;
  std::size_t done_ = 0;
};

// A part of the rows as a task of its own.
class DualSample {
 public:
  DualSample(const DualTask& task, double share, std::uint64_t item,
             std::function<void(double)> report)
      : rows_(sample_rows(task.plan, share, task.context.seed, item)),
        points_(task.x, rows_),
        responses_(Points(task.responses), rows_),
        weights_(Points(task.weights), task.weights.cols() > 0 ? rows_ : std::vector<index_t>()),
        plan_(restrict_plan(task.plan, rows_, static_cast<index_t>(rows_.size()))),
        task_{plan_,
              responses_.points().dense(),
              weights_.points().dense(),
              task.losses,
              task.lead,
              task.labels,
              points_.points(),
              task.kernel,
              task.device,
              task.threads,
              task.options,
              task.context,
              std::move(report)} {}
  const DualTask& task() const { return task_; }

 private:
  std::vector<index_t> rows_;
  ChosenPoints points_, responses_, weights_;
  FoldPlan plan_;
  DualTask task_;
};

class DualPairs : public PairSource {
 public:
  DualPairs(const DualTask& task, Surface& surface)
      : task_(task), surface_(surface), folds_(task, true) {}
  double bound(std::size_t, std::size_t) const override { return 0; }
  void settle(std::size_t g, std::size_t l, double) override {
    settle_pair(folds_, g, l, kGapRace, surface_);
  }
  void report(double share) override {
    if (task_.report) task_.report(kShareBelow + (1 - kShareBelow) * share);
  }

 private:
  const DualTask& task_;
  Surface& surface_;
  DualFolds folds_;
};

void search_level(const DualTask& task, const Margins& margins, std::uint64_t item,
                  Surface& surface) {
  if (task.plan.n <= kWholeRows) return WholeSearch(task, surface).run();
  Surface below(surface.gammas, surface.lambdas);
  {
    const DualSample sample(task, 0.5, item, [&](double share) {
      if (task.report) task.report(kShareBelow * share);
    });
    search_level(sample.task(), kMarginsBelow, item, below);
    if (sample.task().plan.n <= kWholeRows)
      std::fill(below.settled.begin(), below.settled.end(), 1);
  }
  DualPairs pairs(task, surface);
  walk_grid(below, margins, surface, pairs);
}

}  // namespace

void search_dual(const DualTask& task, std::uint64_t item, Surface& surface) {
  if (task.options.race)
    search_level(task, kMargins, item, surface);
  else
    WholeSearch(task, surface).run();
}

}  // namespace flexkern
