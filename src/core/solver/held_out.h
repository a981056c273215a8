// What cross-validation minimises: the mean loss of clipped decision values. Under the hinge it is
// the share of wrong labels, where the hinge itself decides among nearly equals: its own minimum
// may lie far from the least error.
#ifndef FLEXKERN_SOLVER_HELD_OUT_H
#define FLEXKERN_SOLVER_HELD_OUT_H

#include <algorithm>
#include <limits>
#include <vector>

#include "fold_plan.h"
#include "loss.h"

namespace flexkern {

class HeldOutRisk {
 public:
  // One loss per response. `one_label`: the response of the largest decision value is the label.
  HeldOutRisk(const std::vector<Loss>& losses, const Clip& clip, bool one_label)
      : losses_(losses),
        clip_(clip),
        one_label_(one_label),
        parts_(losses.size(), 0.0),
        weights_(losses.size(), 0.0) {}

  // One row: labels, decision values and weights of the responses.
  void add(const std::vector<double>& y, const std::vector<double>& f,
           const std::vector<double>& w) {
    const auto top = std::max_element(f.begin(), f.end()) - f.begin();
    const bool wrong = !(y[static_cast<std::size_t>(top)] > 0);
    for (std::size_t c = 0; c < losses_.size(); ++c) {
      double loss = losses_[c](y[c], clip_(f[c]));
      if (losses_[c].type == Loss::Type::hinge)
        loss = kTie * loss + (one_label_ ? wrong : (f[c] > 0) != (y[c] > 0));
      sum_ += w[c] * loss;
      weight_ += w[c];
      parts_[c] += w[c] * loss;
      weights_[c] += w[c];
    }
  }
  double value() const { return mean(sum_, weight_); }
  // Of one response.
  double value(std::size_t c) const { return mean(parts_[c], weights_[c]); }

 private:
  static constexpr double kTie = 0.01;
  static double mean(double sum, double weight) {
    return weight > 0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
  }

  const std::vector<Loss>& losses_;
  Clip clip_;
  bool one_label_;
  double sum_ = 0, weight_ = 0;
  std::vector<double> parts_, weights_;
};

}  // namespace flexkern

#endif
