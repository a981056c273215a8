#include "sweep.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// A process agrees with a known risk to this share.
constexpr double kAgree = 2e-3;
// All rows need this much more steps than half of them; in the last quarter of these a settled risk
// moves by less than this share.
constexpr double kMore = 1.3;
constexpr double kMove = 1e-3;

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
      steps_(static_cast<index_t>(kMore * static_cast<double>(steps))),
      done_(surface.gammas.size(), 0) {}

void Sweep::run(std::size_t g) {
  if (steps_ == 0 || done_[g]) return;
  done_[g] = 1;
  task_.gram.set_gamma(surface_.gammas[g]);
  KrylovPath path = path_of(task_);
  advance(path, 3 * steps_ / 4);
  const auto before = path.evaluate(surface_.lambdas, task_.options.clip);
  advance(path, steps_);
  const auto now = path.evaluate(surface_.lambdas, task_.options.clip);
  surface_.steps[g] = path.steps();
  for (std::size_t l = 0; l < now.size(); ++l) {
    if (std::fabs(now[l].risk - before[l].risk) > kMove * now[l].risk && !path.exhausted())
      continue;
    surface_.risk[surface_.at(g, l)] = now[l].risk;
    surface_.settled[surface_.at(g, l)] = 1;
  }
}

}  // namespace flexkern
