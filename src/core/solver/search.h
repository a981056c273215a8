// The search over a grid of gammas and penalties for one cell.
#ifndef FLEXKERN_SOLVER_SEARCH_H
#define FLEXKERN_SOLVER_SEARCH_H

#include <functional>
#include <limits>
#include <vector>

#include "krylov.h"

namespace flexkern {

// Cross-validated risks on a grid, gammas by penalties, and which of them were computed to
// convergence.
struct Surface {
  std::vector<double> gammas, lambdas;
  std::vector<double> risk;
  std::vector<char> settled;
  std::vector<index_t> steps;  // of the Krylov process, per gamma
  // Of every response, pairs by responses; NaN where it was not computed. Empty: not kept.
  std::vector<double> each;

  Surface() = default;
  Surface(std::vector<double> gammas_in, std::vector<double> lambdas_in)
      : gammas(std::move(gammas_in)),
        lambdas(std::move(lambdas_in)),
        risk(gammas.size() * lambdas.size(), std::numeric_limits<double>::infinity()),
        settled(risk.size(), 0),
        steps(gammas.size(), 0) {}
  std::size_t at(std::size_t g, std::size_t l) const { return g + l * gammas.size(); }
  void keep_each(std::size_t responses) {
    each.assign(risk.size() * responses, std::numeric_limits<double>::quiet_NaN());
  }
};

struct Choice {
  double gamma = 0, lambda = 0;
  double risk = std::numeric_limits<double>::infinity();
};

// The grid point of least risk; ties go to the larger penalty, then to the wider kernel.
Choice best_choice(const Surface& surface);

struct SearchOptions {
  Clip clip{-1, 1};
  bool race = true;    // drop pairs that can no longer win
  bool direct = true;  // factorise where that is cheaper
  index_t max_iter = 1000;
};

// What a search works on. The penalties of a surface are in falling order.
struct SearchTask {
  const FoldPlan& plan;
  ConstMatrixRef responses;
  Points x;
  const Kernel& kernel;  // but for gamma
  GramMatrix& gram;
  const Device& device;
  int threads;
  const SearchOptions& options;
  Context& context;
  std::function<void(double)> report;  // told which share of the search is done
};

// Krylov spaces for each gamma of the surface: a few steps for all, then the promising ones go on
// while that is cheaper than factorising.
void search_krylov(const SearchTask& task, Surface& surface);

}  // namespace flexkern

#endif
