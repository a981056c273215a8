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

namespace {

std::size_t best_settled(const Surface& surface) {
  std::size_t best = kBack;
  for (std::size_t i = 0; i < surface.risk.size(); ++i)
    if (surface.settled[i] && (best == kBack || surface.risk[i] < surface.risk[best])) best = i;
  return best;
}

}  // namespace

void descend(const SearchTask& task, double limit, Surface& surface) {
  const std::vector<double> estimate = surface.risk;
  const std::size_t gammas = surface.gammas.size(), lambdas = surface.lambdas.size();
  std::size_t current = kBack;
  const auto settle = [&](std::size_t g, std::size_t l) {
    if (!surface.settled[surface.at(g, l)]) settle_directly(task, g, l, current, surface);
  };
  const auto start = static_cast<std::size_t>(std::min_element(estimate.begin(), estimate.end()) -
                                              estimate.begin());
  settle(start % gammas, start / gammas);
  std::size_t center = kBack;
  while (center != best_settled(surface)) {
    center = best_settled(surface);
    for (const auto& step : kSteps) {
      const std::size_t g = center % gammas + step[0], l = center / gammas + step[1];
      if (g < gammas && l < lambdas && estimate[surface.at(g, l)] <= limit) settle(g, l);
    }
  }
}

}  // namespace flexkern
