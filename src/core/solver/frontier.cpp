#include "frontier.h"

#include <algorithm>

#include "descent.h"
#include "grid_walk.h"
#include "sample.h"
#include "screen.h"
#include "sweep.h"
#include "times.h"

namespace flexkern {
namespace {

// A sweep settles several penalties, and may take so much longer than one factorisation.
constexpr double kSweepWorth = 1.7;

// A level's surface, and how many steps a Krylov process takes there.
struct Level {
  Surface surface;
  index_t steps = 0;  // 0: too many
};

// Pairs of a level: swept, or settled alone.
class LevelPairs : public PairSource {
 public:
  LevelPairs(const SearchTask& task, const Level& below, Surface& surface)
      : task_(task),
        surface_(surface),
        settler_(task, surface),
        sweep_(task, surface, below.steps) {}

  double bound(std::size_t g, std::size_t l) const override { return sweep_.bound(g, l); }
  void settle(std::size_t g, std::size_t l, double best) override {
    sweep_.run(g, best);
    if (surface_.settled[surface_.at(g, l)]) return;
    for (std::size_t i = 0; i < surface_.risk.size(); ++i)
      if (surface_.settled[i]) best = std::min(best, surface_.risk[i]);
    if (sweep_.bound(g, l) <= best) settler_.settle(g, l);
  }
  void report(double share) override {
    if (task_.report) task_.report(kShareBelow + (1 - kShareBelow) * share);
  }

 private:
  const SearchTask& task_;
  Surface& surface_;
  PairSettler settler_;
  Sweep sweep_;
};

void search_whole(const SearchTask& task, std::uint64_t item, Surface& surface) {
  if (task.options.direct && task.responses.cols() >= kManyResponses)
    search_screened(task, item, surface);
  else
    search_krylov(task, surface);
}

void search_level(const SearchTask& task, const Margins& margins, std::uint64_t item,
                  Surface& surface) {
  Level below{Surface(surface.gammas, surface.lambdas)};
  {
    const Mixtures mixtures(task, item);
    const Sample sample(mixtures.task(), 0.5, item, [&](double share) {
      if (task.report) task.report(kShareBelow * share);
    });
    const bool whole = sample.task().plan.n <= kWholeRows;
    if (whole)
      search_whole(sample.task(), item, below.surface);
    else
      search_level(sample.task(), kMarginsBelow, item, below.surface);
    if (task.responses.cols() < kManyResponses)
      below.steps = steps_to_settle(sample.task(), below.surface,
                                    kSweepWorth * factor_time(task) / product_time(task));
    // What races dropped is known as well.
    for (std::size_t i = 0; i < below.surface.settled.size(); ++i)
      if (whole || below.surface.steps[i % surface.gammas.size()] > 0) below.surface.settled[i] = 1;
  }
  LevelPairs pairs(task, below, surface);
  walk_grid(below.surface, margins, surface, pairs);
}

}  // namespace

void search_levels(const SearchTask& task, std::uint64_t item, Surface& surface) {
  if (task.plan.n <= kWholeRows || !task.options.direct)
    search_whole(task, item, surface);
  else
    search_level(task, kMargins, item, surface);
}

}  // namespace flexkern
