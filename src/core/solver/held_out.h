// What cross-validation minimises: the mean loss of clipped decision values. Under the hinge it is
// the share of wrong labels, where the hinge itself decides among nearly equals: its own minimum
// may lie far from the least error. Under the losses with a level, the best constant is added to
// the decision values first, as it will be to the model's: machines without offset stay on the near
// side of a quantile.
#ifndef FLEXKERN_SOLVER_HELD_OUT_H
#define FLEXKERN_SOLVER_HELD_OUT_H

#include <vector>

#include "fold_plan.h"
#include "loss.h"

namespace flexkern {

class HeldOutRisk {
 public:
  // One loss per response. `one_label`: the response of the largest decision value is the label.
  HeldOutRisk(const std::vector<Loss>& losses, const Clip& clip, bool one_label);

  // One row: labels, decision values and weights of the responses.
  void add(const std::vector<double>& y, const std::vector<double>& f,
           const std::vector<double>& w);
  double value() const;
  // Of one response.
  double value(std::size_t c) const;
  // The constant of least loss; 0 under losses without a level.
  double offset(std::size_t c) const;

 private:
  struct Row {
    double y, f, weight;
  };
  double sum(std::size_t c) const;

  const std::vector<Loss>& losses_;
  Clip clip_;
  bool one_label_;
  std::vector<std::vector<Row>> rows_;  // of the responses under a loss with a level
  std::vector<double> sums_, weights_;  // the sums of the others
};

}  // namespace flexkern

#endif
