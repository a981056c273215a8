// A low-rank approximation of the Gram matrix as preconditioner for systems of all folds.
#ifndef FLEXKERN_SOLVER_LOW_RANK_H
#define FLEXKERN_SOLVER_LOW_RANK_H

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <vector>

#include "core/device/device.h"
#include "fold_plan.h"

namespace flexkern {

// K ~ L L' by Cholesky with random pivots, each drawn in proportion to what is left of the diagonal
// (Chen, Epperly, Tropp and Webber 2023). (S L L' S + shift I)^-1 is then applied through the
// Woodbury identity.
class LowRank {
 public:
  LowRank(const FoldPlan& plan, double lambda, const Points& x, const Kernel& kernel,
          const Device& device, index_t rank, int threads, Context& context);
  // Another penalty for the same kernel.
  void set_lambda(double lambda);
  // z = preconditioner r for `cols` columns, plan.stride apart; fold[c] is the fold of column c.
  void apply(const std::vector<int>& fold, const float* r, float* z) const;

 private:
  void factor(const Points& x, const Kernel& kernel, const Device& device, index_t rank);
  void prepare_folds();
  void pack();

  const FoldPlan& plan_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  Eigen::MatrixXf l_;                  // stride x rank
  std::vector<Eigen::MatrixXd> gram_;  // L' S^2 L per fold
  std::vector<Eigen::LLT<Eigen::MatrixXd>> inner_;
  std::vector<double> shift_;
  Buffer<float> rows_, columns_;  // panels of L and of L'
};

}  // namespace flexkern

#endif
