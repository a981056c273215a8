// One machine by the dual, to a gap between the primal and the dual value (Steinwart, Hush and
// Scovel 2011, who clip the losses in the primal one: then the gap is gone before the machine is
// found where rows lie beyond the clip on the wrong side).
#ifndef FLEXKERN_SOLVER_DUAL_H
#define FLEXKERN_SOLVER_DUAL_H

#include <vector>

#include "dual_core.h"
#include "fold_plan.h"
#include "ties.h"

namespace flexkern {

// A label and a weight per row, both 0 for those that do not train: their decision values then keep
// the digits that a difference to a label would lose. `rows`: n in lambda n.
struct DualProblem {
  std::vector<double> y, weight;
  double rows = 0;
  Loss loss;
};

class DualSolver {
 public:
  DualSolver(const GramRows& gram, const Micro& micro, DualProblem problem, Context& context);

  // Starts with coefficients at their bounds, for this penalty.
  void start(double lambda);
  // Takes over a solution for this penalty, maybe of another kernel; move_to() has to follow.
  void adopt(const std::vector<double>& values, double lambda);
  // Goes on from there with this penalty. Thereafter, and after start(), residuals are to be
  // computed with the Gram matrix as it is now: cleared, and then all rows added.
  void move_to(double lambda);
  void clear_residuals();
  void add_rows(index_t first, index_t last, index_t begin, index_t end) {
    core_.add_rows(first, last, begin, end);
  }
  // After start(): the common share of the coefficients that is best.
  void shrink();
  // Takes residuals from decision values that are more accurate, and the gap from these.
  void correct(const double* decision);
  // Steps until the gap is at most tol times the primal value, or for so many steps; true if so.
  bool solve(double tol, index_t max_steps);

  index_t steps() const { return steps_; }
  // Of the last check: the primal value less the dual value, as a share of the primal value (under
  // the epsilon loss of 0.01 at least).
  double gap() const { return gap_; }
  // lambda |f|^2 + mean loss of the decision values.
  double primal() const { return primal_; }
  double decision(index_t i) const {
    return problem_.y[at(i)] - static_cast<double>(core_.residual(i)) * gram_.scale(i);
  }
  double coefficient(index_t i) const {
    return gram_.scale(i) > 0 ? core_.value(i) / gram_.scale(i) : 0;
  }
  double lambda() const { return lambda_; }
  // To what share of its scale a decision value is known.
  double resolution() const { return flexkern::resolution(values().data(), n_); }
  const std::vector<double>& values() const { return core_.values(); }
  const DualProblem& problem() const { return problem_; }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  void set_prices(double lambda);
  void check_gap();
  void collect_free();
  std::vector<index_t> active_rows() const;
  double inner_steps();
  bool newton_step();
  double label(index_t i) const {
    return gram_.scale(i) > 0 ? problem_.y[at(i)] / gram_.scale(i) : 0;
  }

  const GramRows& gram_;
  const Micro& micro_;
  DualProblem problem_;
  Context& context_;
  index_t n_;
  double lambda_ = 0;
  DualCore core_;              // residuals are (y - f) / scale
  std::vector<index_t> free_;  // coefficients within their boxes
  index_t steps_ = 0;
  double gap_ = 0, primal_ = 0;
  double newton_turns_ = 1;  // of the last step of Newton's: how often it started anew
};

}  // namespace flexkern

#endif
