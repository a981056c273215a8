// Algorithm 1: annealing, gradient descent, machines solved anew, the best by the third part.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "core/solver/hg_cache.h"
#include "core/solver/hg_gradient.h"
#include "hg_optimizers.h"

namespace flexkern {
namespace {

// Proposals that are made to find the temperature, and accepted ones after which the matrices are
// computed anew.
constexpr int kProbes = 20, kRefresh = 200;

class Annealer {
 public:
  explicit Annealer(const HgTask& task)
      : parts_(task.parts),
        options_(task.options),
        rng_(task.rng),
        context_(task.context),
        result_(task.result),
        cache_(parts_.train_x(), parts_.validation_x(), task.device.host(), context_.threads,
               context_),
        tiles_(parts_.train_x(), parts_.validation_x(), task.device.host()),
        rows_(parts_.validation_x().rows()),
        responses_(parts_.learning().responses),
        decision_(static_cast<std::size_t>(rows_ * responses_)) {}

  void set(const Hierarchy& hierarchy, const HgMachine& machine) {
    machine_ = &machine;
    cache_.set(hierarchy, machine.gamma);
    cache_.set_coef({machine.coef.data(), parts_.train(), responses_});
    cache_.decision(out());
    risk_ = risk();
  }
  const Hierarchy& hierarchy() const { return cache_.hierarchy(); }
  double clipped_risk() { return parts_.validation_risk(out(), true); }

  // METHODS: a worse proposal passes with probability exp(-increase / temperature), which falls to
  // 0.
  void anneal(int steps) {
    const double start = options_.temperature > 0 ? options_.temperature : probe_temperature(steps);
    int fresh = 0;
    for (int i = 1; i <= steps; ++i) {
      const WeightChange change = proposal();
      const double delta = propose(change) - risk_;
      const double temperature = start * (1 - static_cast<double>(i) / steps), r = rng_.uniform();
      result_.proposals += 1;
      context_.advance(1);
      context_.check();
      if (!(delta < 0 || (temperature > 0 && r <= std::exp(-delta / temperature)))) continue;
      cache_.accept(change);
      risk_ += delta;
      result_.accepted += 1;
      if (++fresh % kRefresh == 0) refresh();
    }
    refresh();
  }

  // At most so many steps along the gradient, their length by Armijo's rule.
  void descend(int steps) {
    for (int i = 0; i < steps; ++i) {
      const std::vector<double> g = gradient();
      double largest = 0, square = 0;
      for (const double v : g) {
        largest = std::max(largest, std::fabs(v));
        square += v * v;
      }
      if (!(largest >= 1e-10) || !step_along(g, largest, square)) break;
      context_.check();
    }
  }

 private:
  MatrixRef out() { return {decision_.data(), rows_, responses_}; }
  double risk() {
    for (index_t c = 0; c < responses_; ++c)
      for (index_t i = 0; i < rows_; ++i)
        out()(i, c) += machine_->intercept[static_cast<std::size_t>(c)];
    return parts_.validation_risk(out(), false);
  }
  WeightChange proposal() {
    WeightChange change = weight_at(cache_.hierarchy(), rng_.below(cache_.hierarchy().weights()));
    change.weight *= 1 - options_.spread + 2 * options_.spread * rng_.uniform();
    return change;
  }
  double propose(const WeightChange& change) {
    cache_.probe(change, out());
    return risk();
  }
  double probe_temperature(int steps) {
    std::vector<double> changes;
    for (int i = 0; steps > 0 && i < kProbes; ++i)
      changes.push_back(std::fabs(propose(proposal()) - risk_));
    std::sort(changes.begin(), changes.end());
    return changes.empty() ? 0 : changes[changes.size() / 2];
  }
  void refresh() {
    const Hierarchy now = cache_.hierarchy();
    set(now, *machine_);
  }

  std::vector<double> gradient() {
    tiles_.set(cache_.hierarchy());
    cache_.decision(out());
    risk();
    const std::vector<double> slopes = parts_.slopes(out());
    return hierarchy_gradient(tiles_, machine_->gamma,
                              {machine_->coef.data(), parts_.train(), responses_},
                              {slopes.data(), rows_, responses_}, context_.threads, context_);
  }

  bool step_along(const std::vector<double>& g, double largest, double square) {
    const Hierarchy before = cache_.hierarchy();
    const double risk_before = risk_;
    double weight = 0;
    for (const HierarchyNode& node : before.nodes)
      for (const double w : node.weights) weight = std::max(weight, std::fabs(w));
    double eta = step_ > 0 ? 2 * step_ : 0.1 * weight / largest;
    for (int halving = 0; halving <= 20; ++halving, eta /= 2) {
      Hierarchy moved = before;
      std::size_t i = 0;
      for (HierarchyNode& node : moved.nodes)
        for (double& w : node.weights) w = std::max(std::fabs(w - eta * g[i++]), 1e-8);
      set(moved, *machine_);
      if (risk_ <= risk_before - 1e-4 * eta * square) {
        step_ = eta;
        return true;
      }
    }
    set(before, *machine_);
    return false;
  }

  const HgParts& parts_;
  const HgOptions& options_;
  Rng& rng_;
  Context& context_;
  HgResult& result_;
  HgCache<float> cache_;
  HgTiles<float> tiles_;
  index_t rows_, responses_;
  std::vector<double> decision_;
  const HgMachine* machine_ = nullptr;
  double risk_ = 0, step_ = 0;
};

}  // namespace

void learn_by_annealing(const HgTask& task) {
  const HgOptions& options = task.options;
  HgResult& result = task.result;
  Annealer annealer(task);
  Stopwatch watch;
  Hierarchy current = task.start;
  for (int round = 0; round < options.rounds; ++round) {
    if (round > 0)
      current = perturbed(options.fresh ? task.start : current, options.spread, task.rng);
    HgMachine machine = task.parts.search(current);
    result.solve_seconds += watch.lap();
    for (int cycle = 0; cycle < options.cycles; ++cycle) {
      annealer.set(current, machine);
      annealer.anneal(cycle == 0 ? options.first : options.later);
      result.anneal_seconds += watch.lap();
      annealer.descend(options.descent);
      result.descent_seconds += watch.lap();
      current = annealer.hierarchy();
      machine = task.parts.solve(current, machine.gamma, machine.lambda);
      annealer.set(current, machine);
      result.trace.push_back(
          {round + 1, cycle + 1, annealer.clipped_risk(), task.parts.test_risk(current, machine)});
      result.solve_seconds += watch.lap();
      keep_best(absorb_gamma(current, machine.gamma), machine.gamma,
                machine.lambda * static_cast<double>(task.parts.train()), result);
    }
  }
}

}  // namespace flexkern
