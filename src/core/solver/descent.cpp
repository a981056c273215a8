#include "descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexkern {
namespace {

// How accurate the held-out predictions behind a risk are.
constexpr double kTolRace = 3e-3, kTolFull = 1e-4;

constexpr double kReadTime = 1.2, kColumnTime = 0.15, kFlopTime = 0.07, kPassTime = 20;
constexpr double kSubstitutions = 10;
// The share of its steps so far that a Krylov process needs for one penalty more.
constexpr double kFurther = 0.7;

constexpr std::size_t kBack = static_cast<std::size_t>(-1);
constexpr std::size_t kSteps[8][2] = {{0, 1},     {0, kBack}, {1, 0}, {kBack, 0},
                                      {1, kBack}, {kBack, 1}, {1, 1}, {kBack, kBack}};

}  // namespace

// Times are in units of reading one value of the Gram matrix. A product reads all of them and works
// on every column; a pair takes a factorisation, passes over the matrix around it, and a few
// substitutions.
bool prefer_factors(const SearchTask& task, index_t steps) {
  if (!task.options.direct) return false;
  const double n = static_cast<double>(task.plan.n),
               responses = static_cast<double>(task.responses.cols());
  const double systems = responses * static_cast<double>(task.plan.folds.size());
  const double product = n * n * (kReadTime + kColumnTime * systems);
  const auto groups = factor_groups(task.plan, task.responses.cols());
  const double factor = kFlopTime * factor_cost(task.plan, groups);
  const double pair = factor + n * n * (kPassTime + kSubstitutions * (1 + kColumnTime * systems));
  return kFurther * static_cast<double>(steps) * product > pair;
}

PairSettler::PairSettler(const SearchTask& task, Surface& surface)
    : task_(task),
      surface_(surface),
      risk_(task.plan, task.responses, task.options.clip, task.gram, task.micro, task.threads,
            task.context, task.options.race ? kTolRace : kTolFull),
      gamma_(surface.gammas.size()) {}

void PairSettler::settle(std::size_t g, std::size_t l) {
  if (g != gamma_) task_.gram.set_gamma(surface_.gammas[g]);
  gamma_ = g;
  const double risk = risk_(surface_.lambdas[l]);
  const std::size_t at = surface_.at(g, l);
  surface_.risk[at] = std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk;
  surface_.settled[at] = 1;
}

namespace {

// The settled penalty of least risk for one gamma.
std::size_t best_settled(const Surface& surface, std::size_t g) {
  std::size_t best = kBack;
  for (std::size_t l = 0; l < surface.lambdas.size(); ++l)
    if (surface.settled[surface.at(g, l)] &&
        (best == kBack || surface.risk[surface.at(g, l)] < surface.risk[surface.at(g, best)]))
      best = l;
  return best;
}

std::size_t best_settled(const Surface& surface) {
  std::size_t best = kBack;
  for (std::size_t i = 0; i < surface.risk.size(); ++i)
    if (surface.settled[i] && (best == kBack || surface.risk[i] < surface.risk[best])) best = i;
  return best;
}

// The penalty with the least estimate for one gamma.
std::size_t least_lambda(const Surface& surface, std::size_t g) {
  std::size_t best = 0;
  for (std::size_t l = 1; l < surface.lambdas.size(); ++l)
    if (surface.risk[surface.at(g, l)] < surface.risk[surface.at(g, best)]) best = l;
  return best;
}

}  // namespace

void descend(const SearchTask& task, double start, double limit, Surface& surface) {
  const std::vector<double> estimate = surface.risk;
  const std::size_t gammas = surface.gammas.size(), lambdas = surface.lambdas.size();
  PairSettler settler(task, surface);
  const auto settle = [&](std::size_t g, std::size_t l) {
    const bool known = surface.settled[surface.at(g, l)] != 0;
    if (!known && estimate[surface.at(g, l)] <= limit) settler.settle(g, l);
  };
  for (std::size_t g = 0; g < gammas; ++g) {
    std::size_t l = least_lambda(surface, g), before = kBack;
    if (estimate[surface.at(g, l)] > start) continue;
    settle(g, l);
    while (l != before) {
      before = l;
      if (l > 0) settle(g, l - 1);
      if (l + 1 < lambdas) settle(g, l + 1);
      l = best_settled(surface, g);
    }
  }
  std::size_t center = kBack;
  while (center != best_settled(surface)) {
    center = best_settled(surface);
    for (const auto& step : kSteps) {
      const std::size_t g = center % gammas + step[0], l = center / gammas + step[1];
      if (g < gammas && l < lambdas) settle(g, l);
    }
  }
}

}  // namespace flexkern
