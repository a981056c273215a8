#include "cell_machine.h"
#include "core/solver/dual_search.h"

namespace flexkern {
namespace {

// The gap at which a problem counts as solved while a large cell is searched.
constexpr double kLargeGap = 1e-2;

class DualMachine : public CellMachine {
 public:
  explicit DualMachine(const MachineTask& task) : task_(task) {
    if (task_.lead >= 0) lead_loss_ = {task_.losses[static_cast<std::size_t>(task_.lead)]};
  }

  index_t stride() const override { return task_.x.rows(); }

  // In a race the leading response alone is searched for; a whole grid has the risks of all.
  void search(const FoldPlan& plan, Surface& surface) override {
    const bool alone = task_.lead >= 0 && task_.options.search.race;
    const std::size_t responses = static_cast<std::size_t>(task_.responses.cols());
    if (task_.options.each && !alone) surface.keep_each(responses);
    search_dual(dual_task(plan, alone), task_.item, surface);
    if (!task_.options.each || !alone) return;
    surface.keep_each(responses);
    for (std::size_t i = 0; i < surface.risk.size(); ++i)
      if (surface.settled[i])
        surface.each[i + static_cast<std::size_t>(task_.lead) * surface.risk.size()] =
            surface.risk[i];
  }

  PairRisk pair_risk(const FoldPlan& plan, double) override {
    const auto task = std::make_shared<DualTask>(dual_task(plan, task_.lead >= 0));
    const auto folds = std::make_shared<DualFolds>(*task, false);
    return [task, folds](double gamma, double lambda) {
      return folds->risk(gamma, lambda, kLargeGap);
    };
  }

  Solution solve(const FoldPlan& plan, const Choice& choice) override {
    const DualTask task = dual_task(plan, false);
    return DualFolds(task, false)
        .solve(choice.gamma, choice.lambda, task_.options.tol,
               task_.options.search.max_iter * task_.x.rows());
  }

 private:
  // Of all responses, or of the leading one alone.
  DualTask dual_task(const FoldPlan& plan, bool alone) const {
    const auto part = [&](const ConstMatrixRef& all) -> ConstMatrixRef {
      if (!alone || all.cols() == 0) return all;
      return {all.col(task_.lead), all.rows(), 1};
    };
    return {plan,
            part(task_.responses),
            part(task_.weights),
            alone ? lead_loss_ : task_.losses,
            alone ? 0 : task_.lead,
            task_.options.labels,
            task_.x,
            task_.options.kernel,
            task_.device,
            task_.threads,
            task_.options.search,
            task_.context,
            task_.report};
  }

  MachineTask task_;
  std::vector<Loss> lead_loss_;
};

}  // namespace

std::unique_ptr<CellMachine> make_dual_machine(const MachineTask& task) {
  return std::make_unique<DualMachine>(task);
}

}  // namespace flexkern
