// Small systems in double precision whose factors are in single precision.
#ifndef FLEXKERN_SOLVER_INNER_SYSTEM_H
#define FLEXKERN_SOLVER_INNER_SYSTEM_H

#include <vector>

#include "cholesky.h"

namespace flexkern {

// (G + shift I) w = b by conjugate gradients, G given by its lower triangle; preconditioned by a
// factor of about that matrix.
class InnerSystem {
 public:
  InnerSystem(const Buffer<double>& gram, double shift, const Cholesky& factor, Context& context)
      : gram_(gram), shift_(shift), factor_(factor), context_(context) {}
  // w is 0 on entry. False if it does not get there.
  bool solve(const std::vector<double>& b, std::vector<double>& w) const;

 private:
  std::vector<double> product(const std::vector<double>& p) const;
  std::vector<double> precondition(const std::vector<double>& r, double norm) const;

  const Buffer<double>& gram_;
  double shift_;
  const Cholesky& factor_;
  Context& context_;
};

}  // namespace flexkern

#endif
