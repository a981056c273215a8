#include "sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "race.h"

namespace flexkern {
namespace {

// A process agrees with a known risk to this share.
constexpr double kAgree = 2e-3;
// All rows, other gammas and smaller penalties get so many times the steps.
constexpr index_t kMost = 3;

KrylovPath path_of(const SearchTask& task) {
  return {task.plan, task.responses, task.gram, task.device.host(), task.threads, task.context};
}

void advance(KrylovPath& path, index_t steps) {
  while (path.steps() < steps && !path.exhausted()) path.step();
}

}  // namespace

index_t steps_to_settle(const SearchTask& task, const Surface& surface, double limit) {
  const Choice best = best_choice(surface);
  const std::size_t g = static_cast<std::size_t>(
      std::find(surface.gammas.begin(), surface.gammas.end(), best.gamma) - surface.gammas.begin());
  std::vector<double> lambdas, risks;
  for (std::size_t l = 0; l < surface.lambdas.size(); ++l)
    if (surface.settled[surface.at(g, l)] && surface.lambdas[l] >= best.lambda) {
      lambdas.push_back(surface.lambdas[l]);
      risks.push_back(surface.risk[surface.at(g, l)]);
    }
  task.gram.set_gamma(best.gamma);
  KrylovPath path = path_of(task);
  for (index_t steps = 4; static_cast<double>(steps) <= limit;
       steps += std::max<index_t>(4, steps / 4)) {
    advance(path, steps);
    const auto now = path.evaluate(lambdas, task.options.clip);
    bool agree = true;
    for (std::size_t i = 0; i < risks.size(); ++i)
      agree = agree && std::fabs(now[i].risk - risks[i]) <= kAgree * risks[i];
    if (agree) return steps;
  }
  return 0;
}

Sweep::Sweep(const SearchTask& task, Surface& surface, index_t steps)
    : task_(task),
      surface_(surface),
      steps_(steps),
      done_(surface.gammas.size(), 0),
      bound_(surface.risk.size(), 0.0) {}

void Sweep::run(std::size_t g, double best) {
  if (steps_ == 0 || done_[g]) return;
  done_[g] = 1;
  task_.gram.set_gamma(surface_.gammas[g]);
  Lane lane(task_, surface_, g);
  while (!lane.finished() && lane.next_check() <= kMost * steps_) {
    lane.advance();
    best = std::min(best, lane.least_settled());
    lane.compare(best);
    if (lane.steps() >= steps_) lane.compare_course(best);
  }
  for (std::size_t l = 0; l < surface_.lambdas.size(); ++l)
    bound_[surface_.at(g, l)] =
        lane.finished() ? std::numeric_limits<double>::infinity() : lane.bound(l);
}

}  // namespace flexkern
