// The ways to learn weights; each adds to the record and keeps the best by the third part.
#ifndef FLEXKERN_MODEL_HG_OPTIMIZERS_H
#define FLEXKERN_MODEL_HG_OPTIMIZERS_H

#include "core/base/rng.h"
#include "hg_parts.h"

namespace flexkern {

struct HgTask {
  const HgParts& parts;
  const Hierarchy& start;
  const HgOptions& options;
  const Device& device;
  Rng& rng;
  Context& context;
  HgResult& result;
};

void learn_by_annealing(const HgTask& task);
void learn_by_lbfgs(const HgTask& task);
void learn_by_adam(const HgTask& task);

// Every weight times a factor from [1 - spread, 1 + spread].
inline Hierarchy perturbed(Hierarchy hierarchy, double spread, Rng& rng) {
  for (HierarchyNode& node : hierarchy.nodes)
    for (double& w : node.weights) w *= 1 - spread + 2 * spread * rng.uniform();
  return hierarchy;
}

// Whether the last line of the record is the best so far; then it is the result.
inline bool keep_best(Hierarchy hierarchy, double gamma, double shift, HgResult& result) {
  const HgTrace& last = result.trace.back();
  if (result.trace.size() > 1 && !(last.test < result.error)) return false;
  result.error = last.test;
  result.hierarchy = std::move(hierarchy);
  result.gamma = gamma;
  result.shift = shift;
  result.chosen = static_cast<int>(result.trace.size());
  return true;
}

}  // namespace flexkern

#endif
