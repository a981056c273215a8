// What both descents along the gradient of the validation risk share: the logarithms in which they
// move, starts, looks at the third part and early stopping. The machine is differentiated through.
#ifndef FLEXKERN_MODEL_HG_DESCENT_H
#define FLEXKERN_MODEL_HG_DESCENT_H

#include <vector>

#include "core/solver/implicit_risk.h"
#include "hg_optimizers.h"

namespace flexkern {

// The logarithms of all weights in the order of the nodes, and of the shift lambda n.
using HgPoint = std::vector<double>;

class Descent {
 public:
  explicit Descent(const HgTask& task);
  // The machine of the grid says where penalty and width begin.
  HgPoint begin(int round);
  // Back into the range of logarithms that are followed.
  void keep_within(HgPoint& point) const;
  double evaluate(ImplicitRisk& risk, const HgPoint& point);
  // The same where there has to be a machine: a larger penalty can be carried. Not finite where
  // none can, which ends a run; the first one has to begin somewhere.
  double settle(ImplicitRisk& risk, HgPoint& point);
  HgPoint gradient(ImplicitRisk& risk, const HgPoint& point);
  // The error on the third part of the last machine; whether to go on.
  bool look(const ImplicitRisk& risk, const HgPoint& point, int step, double value);
  // A step is done.
  void advance();

  // The first part trains, the second validates.
  ImplicitRisk risk() const;
  ImplicitRisk risk(const SplitData& data) const;

 private:
  const HgTask& task_;
  Stopwatch watch_;
  int round_ = 0, behind_ = 0;
  double best_ = 0, gamma_ = 1;
  double least_, largest_;  // logarithms of the shift
};

}  // namespace flexkern

#endif
