#include "descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace flexkern {
namespace {

// How accurate the held-out predictions behind a risk are.
constexpr double kTolRace = 3e-3, kTolFull = 1e-4;

constexpr std::size_t kBack = static_cast<std::size_t>(-1);
constexpr std::size_t kSteps[8][2] = {{0, 1}, {0, kBack},     {1, 0},     {1, kBack},
                                      {1, 1}, {kBack, kBack}, {kBack, 0}, {kBack, 1}};

}  // namespace

PairSettler::PairSettler(const SearchTask& task, Surface& surface)
    : task_(task),
      surface_(surface),
      low_rank_risk_(task),
      factor_risk_(task.plan, task.responses, task.options.clip, task.gram, task.device.host(),
                   task.threads, task.context, task.options.race ? kTolRace : kTolFull) {}

void PairSettler::settle(std::size_t g, std::size_t l) {
  double risk = low_rank_risk_(surface_.gammas[g], surface_.lambdas[l]);
  if (std::isnan(risk)) {
    task_.gram.set_gamma(surface_.gammas[g]);
    risk = factor_risk_(surface_.lambdas[l]);
  }
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

// Settles penalties of a gamma from that of its least estimate on downhill.
template <typename Settle>
void downhill(const Surface& surface, std::size_t g, Settle settle) {
  std::size_t l = least_lambda(surface, g), before = kBack;
  settle(l);
  while (l != before) {
    before = l;
    if (l > 0) settle(l - 1);
    if (l + 1 < surface.lambdas.size()) settle(l + 1);
    l = best_settled(surface, g);
  }
}

}  // namespace

double PairSettler::time(std::size_t g) {
  return low_rank_risk_.time(surface_.gammas[g], surface_.lambdas[least_lambda(surface_, g)]);
}

void PairSettler::settle_downhill(std::size_t g) {
  downhill(surface_, g, [&](std::size_t l) {
    if (!surface_.settled[surface_.at(g, l)]) settle(g, l);
  });
}

void descend(const SearchTask& task, double start, double limit, Surface& surface) {
  const std::vector<double> estimate = surface.risk;
  const std::size_t gammas = surface.gammas.size(), lambdas = surface.lambdas.size();
  PairSettler settler(task, surface);
  const auto settle = [&](std::size_t g, std::size_t l) {
    const bool known = surface.settled[surface.at(g, l)] != 0;
    if (!known && estimate[surface.at(g, l)] <= limit) settler.settle(g, l);
  };
  for (std::size_t g = 0; g < gammas; ++g) {
    if (estimate[surface.at(g, least_lambda(surface, g))] > start) continue;
    downhill(surface, g, [&](std::size_t l) { settle(g, l); });
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
