// One machine by the dual: steps on pairs of coordinates, the pair chosen in the same pass over the
// residuals that the last step changes (Steinwart, Hush and Scovel 2011).
#ifndef FLEXKERN_SOLVER_DUAL_H
#define FLEXKERN_SOLVER_DUAL_H

#include <vector>

#include "core/device/device.h"
#include "dual_price.h"
#include "fold_plan.h"

namespace flexkern {

// A label and a weight per row, 0 for those that do not train; `rows`: n in lambda n.
struct DualProblem {
  std::vector<double> y, weight;
  double rows = 0;
  Loss loss;
  Clip clip{-1, 1};
};

class DualSolver {
 public:
  // The rows of the Gram matrix may change between solutions, but then reset() is due.
  DualSolver(const GramRows& gram, const Micro& micro, DualProblem problem, Context& context);

  // Starts with coefficients at a common share of their bounds, for this penalty.
  void start(double lambda);
  // Goes on from the solution of another penalty.
  void move_to(double lambda);
  // The coefficients stay; residuals are those of the Gram matrix as it is now.
  void reset();
  // Starts from these coefficients of another kernel with this penalty.
  void adopt(const std::vector<double>& values, double lambda);
  // Takes residuals from decision values that are more accurate.
  void correct(const double* decision);
  // Steps until the gap is at most tol times the primal value, or for so many steps; true if so.
  bool solve(double tol, index_t max_steps);

  index_t steps() const { return steps_; }
  // Of the last check: the primal value with clipped losses less the dual value, as a share of the
  // primal value.
  double gap() const { return gap_; }
  // lambda |f|^2 + mean loss of the clipped decision values.
  double primal() const { return primal_; }
  double decision(index_t i) const {
    return problem_.y[at(i)] - static_cast<double>(r_[i]) * gram_.scale(i);
  }
  double coefficient(index_t i) const {
    return gram_.scale(i) > 0 ? value_[at(i)] / gram_.scale(i) : 0;
  }
  double lambda() const { return lambda_; }
  const std::vector<double>& values() const { return value_; }
  const DualProblem& problem() const { return problem_; }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  void set_prices(double lambda);
  void show(index_t i);
  void add_row(index_t i, double change);
  void step(const DualPass& pass, index_t i, index_t j);
  void check_gap();
  DualKernel kernel(const Micro& micro) const;

  const GramRows& gram_;
  const Micro& micro_;
  DualProblem problem_;
  Context& context_;
  index_t n_, stride_;
  double lambda_ = 0;
  DualKernel kernel_;
  std::vector<DualPrice> price_;
  std::vector<double> value_;  // of the coefficients, for the scaled kernel
  Buffer<float> r_;            // (y - f) / scale
  Buffer<float> parameter_[4];
  index_t steps_ = 0;
  double gap_ = 0, primal_ = 0;
};

}  // namespace flexkern

#endif
