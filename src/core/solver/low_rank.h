// A low-rank approximation of the Gram matrix: as a model of its own, and as preconditioner for
// the systems of all folds.
#ifndef FLEXKERN_SOLVER_LOW_RANK_H
#define FLEXKERN_SOLVER_LOW_RANK_H

#include <memory>
#include <vector>

#include "cholesky.h"
#include "fold_plan.h"
#include "pivoted_cholesky.h"

namespace flexkern {

// (S L L' S + shift I)^-1 for every fold, through the Woodbury identity.
class LowRank {
 public:
  LowRank(const FoldPlan& plan, const Points& x, const Kernel& kernel, const Device& device,
          const RankLimits& limits, int threads, Context& context);
  index_t rank() const { return factor_.rank(); }
  // The trace of K - L L', which bounds its norm.
  double left() const { return factor_.left(); }
  // To be called before what follows; lambda is the penalty per training row.
  void set_lambda(double lambda);
  // z = preconditioner r for `cols` columns, plan.stride apart, in single precision; fold[c] is the
  // fold of column c, columns of a fold following each other.
  void apply(const std::vector<int>& fold, const float* r, float* z);
  // Decision values L w on all rows, w = (shift I + L' S^2 L)^-1 L' S^2 y, of all responses of all
  // folds, systems ordered by fold and then by response, plan.stride apart; in double precision.
  // False if rounding forbids it.
  bool predict(ConstMatrixRef responses, double* decision) const;

 private:
  void pack();
  bool factor_inner(std::size_t f, double shift);
  void solve_inner(const std::vector<int>& fold, float* w) const;
  std::vector<double> right_hand_side(const float* mask, const double* y) const;
  const float* mask(int fold) const {
    return plan_.folds[static_cast<std::size_t>(fold)].mask.data();
  }

  const FoldPlan& plan_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  PivotedCholesky factor_;
  index_t padded_;                     // the rank in whole panels
  Buffer<float> rows_, columns_;       // panels of L and of L'
  std::vector<Buffer<double>> grams_;  // L' S^2 L per fold
  std::vector<std::unique_ptr<Cholesky>> inner_;
  std::vector<double> shift_;
};

}  // namespace flexkern

#endif
