#include "dual_search.h"

#include <algorithm>

#include "grid_walk.h"
#include "race.h"
#include "sample.h"

namespace flexkern {
namespace {

// The gap at which a problem counts as solved.
constexpr double kGapRace = 1e-2, kGapFull = 1e-4;

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

// The penalties of each gamma from the largest on, each from the solution of the one before.
void search_whole(const DualTask& task, Surface& surface) {
  DualFolds folds(task, true);
  const bool race = task.options.race;
  for (std::size_t g = 0; g < surface.gammas.size(); ++g) {
    Race penalties(task.options, surface.lambdas.size());
    for (std::size_t l = 0; l < surface.lambdas.size() && !penalties.finished(); ++l) {
      const std::size_t at = surface.at(g, l);
      settle_pair(folds, g, l, race ? kGapRace : kGapFull, surface);
      penalties.settle(l, surface.risk[at]);
      penalties.compare(least_settled(surface));
    }
    if (task.report)
      task.report(static_cast<double>(g + 1) / static_cast<double>(surface.gammas.size()));
  }
}

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
  if (task.plan.n <= kWholeRows) return search_whole(task, surface);
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
    search_whole(task, surface);
}

}  // namespace flexkern
