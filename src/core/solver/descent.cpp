#include "descent.h"

#include <algorithm>
#include <cmath>

#include "direct.h"

namespace flexkern {
namespace {

constexpr std::size_t kBack = static_cast<std::size_t>(-1);
constexpr std::size_t kSteps[8][2] = {{0, 1},     {0, kBack}, {1, 0}, {kBack, 0},
                                      {1, kBack}, {kBack, 1}, {1, 1}, {kBack, kBack}};

}  // namespace

void settle_directly(const SearchTask& task, std::size_t g, std::size_t l, std::size_t& current,
                     Surface& surface) {
  if (g != current) task.gram.set_gamma(surface.gammas[g]);
  current = g;
  const double risk = direct_risk(task.plan, task.responses, surface.lambdas[l], task.options.clip,
                                  task.gram, task.micro, task.threads, task.context);
  const std::size_t at = surface.at(g, l);
  surface.risk[at] = std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk;
  surface.settled[at] = 1;
}

void descend(const SearchTask& task, double trust, Surface& surface) {
  const std::vector<double> before = surface.risk;
  const auto start = std::min_element(before.begin(), before.end());
  std::size_t at = static_cast<std::size_t>(start - before.begin()), current = kBack;
  const std::size_t gammas = surface.gammas.size(), lambdas = surface.lambdas.size();
  const auto settle = [&](std::size_t g, std::size_t l) {
    if (!surface.settled[surface.at(g, l)]) settle_directly(task, g, l, current, surface);
  };
  settle(at % gammas, at / gammas);
  for (bool moved = true; moved;) {
    moved = false;
    const std::size_t center = at;
    for (const auto& step : kSteps) {
      const std::size_t g = center % gammas + step[0], l = center / gammas + step[1];
      if (g >= gammas || l >= lambdas || before[surface.at(g, l)] > trust * *start) continue;
      settle(g, l);
      if (!(surface.risk[surface.at(g, l)] < surface.risk[at])) continue;
      at = surface.at(g, l);
      moved = true;
    }
  }
}

}  // namespace flexkern
