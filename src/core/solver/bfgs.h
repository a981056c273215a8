// The direction of L-BFGS: what the last steps say about the curvature (Nocedal's two loops).
#ifndef FLEXKERN_SOLVER_BFGS_H
#define FLEXKERN_SOLVER_BFGS_H

#include <deque>
#include <vector>

namespace flexkern {

double dot(const std::vector<double>& a, const std::vector<double>& b);

class Bfgs {
 public:
  // A step and the change of the gradient along it; left out where they show no curvature.
  void add(std::vector<double> step, std::vector<double> change);
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }
  // Minus the gradient times the inverse curvature; not for an empty memory.
  std::vector<double> direction(std::vector<double> gradient) const;

 private:
  struct Pair {
    std::vector<double> step, change;
    double rho;
  };
  std::deque<Pair> pairs_;
};

}  // namespace flexkern

#endif
