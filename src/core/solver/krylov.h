// Cross-validated risks of all penalties from one Krylov space per (fold, response).
//
// The Lanczos process on S K S started at S y builds orthonormal q_1, q_2, ... with S K S Q_t =
// Q_{t+1} H_t and H_t tridiagonal; the solution of (S K S + s I) u = S y with the least residual in
// the space is u = Q_t z, z from a small least-squares problem, for every shift s at once. Since K
// S q_j is computed in full, its held-out rows are at hand: held-out predictions are linear
// combinations of them and u itself is never formed.
#ifndef FLEXKERN_SOLVER_KRYLOV_H
#define FLEXKERN_SOLVER_KRYLOV_H

#include <vector>

#include "core/device/device.h"
#include "fold_plan.h"

namespace flexkern {

class KrylovPath {
 public:
  KrylovPath(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram, const Micro& micro,
             int threads, Context& context);

  // One more Lanczos step for every system that has not exhausted its space.
  void step();
  index_t steps() const { return steps_; }
  bool exhausted() const { return active_.empty(); }
  // Gives the memory back; nothing else may be called then.
  void release();

  struct Estimate {
    double risk;      // weighted mean squared error of clipped held-out predictions
    double residual;  // largest relative residual of the systems behind it
  };
  // Estimates at the current step; lambda is the penalty per training row.
  std::vector<Estimate> evaluate(const std::vector<double>& lambdas, const Clip& clip) const;

 private:
  struct Space {
    System system;
    double norm = 0;   // |S y|
    double scale = 0;  // largest row sum of T
    std::vector<double> alpha, beta;
    Buffer<float> held_out;  // K S q_j on held-out rows, in panels of 16
    index_t capacity = 0;
    float *q = nullptr, *previous = nullptr, *next = nullptr;
  };
  void start(Space& space, ConstMatrixRef responses, float* storage);
  void extend(Space& space, const float* product);
  void store_held_out(Space& space, const float* product);
  void evaluate(const Space& space, const std::vector<double>& lambdas, const Clip& clip,
                Estimate* out) const;
  void add_losses(const Space& space, index_t panel, const float* predictions, index_t cols,
                  const Clip& clip, Estimate* out) const;

  const FoldPlan& plan_;
  ConstMatrixRef responses_;
  GramMatrix& gram_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  index_t steps_ = 0;
  double validation_weight_ = 0;
  std::vector<Space> spaces_;
  std::vector<std::size_t> active_;
  Buffer<float> storage_, in_, out_;
};

}  // namespace flexkern

#endif
