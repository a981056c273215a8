#include "hg_learn.h"

#include <algorithm>

#include "core/solver/hg_cache.h"
#include "hg_optimizers.h"

namespace flexkern {

double learning_bytes(const Hierarchy& hierarchy, index_t n, const HgOptions& options) {
  const index_t train = 4 * n / 9, rest = 2 * n / 9, both = train + rest;
  const double machine = 3 * 4.0 * static_cast<double>(both) * static_cast<double>(both);
  if (options.optimizer == HgOptions::Optimizer::anneal)
    return machine + HgCache<float>::bytes(hierarchy, train, rest);
  return machine + 4.0 * static_cast<double>(both + train) * static_cast<double>(train);
}

namespace {

double total_steps(const HgOptions& o) {
  const double rounds = o.rounds;
  if (o.optimizer != HgOptions::Optimizer::anneal) return rounds * o.steps;
  return rounds * (o.first + (o.cycles - 1.0) * o.later);
}

}  // namespace

HgResult learn_hierarchy(const HgData& data, const Hierarchy& start, const HgOptions& options,
                         const Device& device, std::uint64_t item, Context& context) {
  using Optimizer = HgOptions::Optimizer;
  const double bytes = learning_bytes(start, data.x.rows(), options);
  if (bytes > context.memory) throw over_budget("Learning the weights", bytes, context.memory);
  const HgParts parts(data, options, device, item, context);
  Rng rng(context.seed, stream::kWeights + (std::uint64_t{1} << 31) + item);
  HgResult result;
  result.hierarchy = start;
  context.start_phase("weights", total_steps(options));
  const auto learn = options.optimizer == Optimizer::anneal  ? learn_by_annealing
                     : options.optimizer == Optimizer::lbfgs ? learn_by_lbfgs
                                                             : learn_by_adam;
  learn({parts, start, options, device, rng, context, result});
  return result;
}

}  // namespace flexkern
