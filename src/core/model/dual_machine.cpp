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

  void search(const FoldPlan& plan, Surface& surface) override {
    search_dual(dual_task(plan, true), task_.item, surface);
  }

  PairRisk pair_risk(const FoldPlan& plan, double) override {
    const auto task = std::make_shared<DualTask>(dual_task(plan, true));
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
  // The leading response is searched for, all are solved.
  DualTask dual_task(const FoldPlan& plan, bool search) const {
    const bool lead = search && task_.lead >= 0;
    const auto part = [&](const ConstMatrixRef& all) -> ConstMatrixRef {
      if (!lead || all.cols() == 0) return all;
      return {all.col(task_.lead), all.rows(), 1};
    };
    return {plan,
            part(task_.responses),
            part(task_.weights),
            lead ? lead_loss_ : task_.losses,
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
