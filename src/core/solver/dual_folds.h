// The problems of a cell under a loss with a dual: one per fold and response.
#ifndef FLEXKERN_SOLVER_DUAL_FOLDS_H
#define FLEXKERN_SOLVER_DUAL_FOLDS_H

#include <functional>
#include <memory>
#include <vector>

#include "dual.h"
#include "refined.h"
#include "search.h"

namespace flexkern {

struct DualTask {
  const FoldPlan& plan;
  ConstMatrixRef responses;
  ConstMatrixRef weights;           // of each response; no columns: those of the plan
  const std::vector<Loss>& losses;  // of each response
  int lead;                         // the one that the risk is of; -1: all
  Labels labels;                    // that decision values become
  Points x;
  const Kernel& kernel;  // but for gamma
  const Device& device;
  int threads;
  const SearchOptions& options;
  Context& context;
  std::function<void(double)> report;  // told which share of the search is done

  double weight(index_t i, index_t c) const {
    return weights.cols() > 0 ? weights(i, c) : plan.weights[static_cast<std::size_t>(i)];
  }
};

class DualFolds {
 public:
  // `many_gammas`: they cost little each, for twice the memory.
  DualFolds(const DualTask& task, bool many_gammas);
  // The cross-validated risk. Solutions for kernels and penalties nearby are where it starts.
  double risk(double gamma, double lambda, double tol);
  // Of each response, at the last pair.
  const std::vector<double>& each() const { return each_; }
  // The machines of all folds, accurate: residuals are computed anew in double precision until the
  // gap holds.
  Solution solve(double gamma, double lambda, double tol, index_t max_steps);

 private:
  // Where the solvers were when the Gram matrix last had another gamma.
  struct State {
    double gamma, lambda;
    std::vector<std::vector<double>> values;
  };
  DualProblem problem(std::size_t fold, index_t response) const;
  void set_gamma(double gamma);
  void move_to(double lambda);
  void step_to(double lambda);
  void reset();
  const State* nearest(double gamma) const;
  void keep();
  index_t max_steps() const;
  double held_out_risk();
  template <typename F>
  void for_solvers(F f);

  const DualTask& task_;
  std::unique_ptr<GramRows> gram_;
  std::vector<std::unique_ptr<DualSolver>> solvers_;  // by fold, then by response
  double gamma_ = 0, lambda_ = 0;                     // of the solvers; 0: not started
  bool moved_ = false;  // since they moved, the Gram matrix has got another gamma
  std::vector<State> states_;
  std::vector<double> each_;
};

}  // namespace flexkern

#endif
