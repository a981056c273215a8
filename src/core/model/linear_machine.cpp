#include "cell_machine.h"
#include "core/solver/cg_risk.h"
#include "core/solver/dense.h"
#include "core/solver/frontier.h"

namespace flexkern {
namespace {

// Cells up to this size are searched and solved by exact factorisations.
constexpr index_t kDenseRows = 64;
// Systems that stall in single precision are factorised up to this size.
constexpr index_t kFallbackRows = 1500;

class LinearMachine : public CellMachine {
 public:
  // With a margin there is no search, and a compact matrix does.
  explicit LinearMachine(const MachineTask& task) : task_(task) {
    const CellOptions& options = task_.options;
    if (task_.large() || (task_.margin && rows() > kDenseRows))
      gram_ = task_.device.compact_gram(task_.x, options.kernel, options.gram_bytes, task_.threads,
                                        task_.context);
    else if (rows() > kDenseRows)
      gram_ = task_.device.gram(task_.x, options.kernel, task_.threads, task_.context);
  }

  index_t stride() const override { return gram_ ? gram_->stride() : rows(); }

  void search(const FoldPlan& plan, Surface& surface) override {
    if (!gram_)
      return search_dense(plan, task_.responses, task_.x, task_.options.kernel, task_.device,
                          task_.options.search, task_.context, surface);
    const SearchTask task = search_task(plan);
    if (task_.options.search.race)
      search_levels(task, task_.item, surface);
    else
      search_krylov(task, surface);
  }

  PairRisk pair_risk(const FoldPlan& plan, double expected) override {
    const auto task = std::make_shared<SearchTask>(search_task(plan));
    const auto risk = std::make_shared<CgRisk>(*task, expected);
    return [task, risk](double gamma, double lambda) { return (*risk)(gamma, lambda); };
  }

  Solution solve(const FoldPlan& plan, const Choice& choice) override {
    if (!gram_) return solve_exactly(plan, choice);
    const CellOptions& options = task_.options;
    const Kernel kernel = options.kernel.with_gamma(choice.gamma);
    gram_->set_gamma(kernel.gamma);
    SolveOptions how;
    how.lambda = choice.lambda;
    how.tol = options.tol;
    how.max_iter = options.search.max_iter;
    how.direct = options.search.direct && !task_.large();
    Solution solution = solve_refined(plan, task_.responses, task_.x, kernel, *gram_, task_.device,
                                      task_.threads, how, task_.context);
    const bool stalled = !solution.converged && solution.iterations < how.max_iter;
    return stalled && how.direct && rows() <= kFallbackRows ? solve_exactly(plan, choice)
                                                            : solution;
  }

 private:
  index_t rows() const { return task_.x.rows(); }

  SearchTask search_task(const FoldPlan& plan) const {
    return {plan,          task_.responses, task_.x,       task_.options.kernel,
            *gram_,        task_.device,    task_.threads, task_.options.search,
            task_.context, task_.report};
  }

  Solution solve_exactly(const FoldPlan& plan, const Choice& choice) const {
    return solve_dense(plan, task_.responses, task_.x,
                       task_.options.kernel.with_gamma(choice.gamma), task_.device, choice.lambda,
                       task_.options.tol, task_.context);
  }

  MachineTask task_;
  std::unique_ptr<GramMatrix> gram_;
};

}  // namespace

std::unique_ptr<CellMachine> make_linear_machine(const MachineTask& task) {
  return std::make_unique<LinearMachine>(task);
}

}  // namespace flexkern
