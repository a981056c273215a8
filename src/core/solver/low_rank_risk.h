// Cross-validated risks through low-rank factors.
#ifndef FLEXKERN_SOLVER_LOW_RANK_RISK_H
#define FLEXKERN_SOLVER_LOW_RANK_RISK_H

#include <memory>

#include "low_rank.h"
#include "times.h"

namespace flexkern {

// A low-rank factor of the Gram matrix serves all folds and all penalties of its gamma. Wide
// kernels are of low rank, and those are the ones on which a Krylov process takes long.
class LowRankRisk {
 public:
  explicit LowRankRisk(const SearchTask& task) : task_(task) {}
  // The risk of one pair, for which the Gram matrix takes this gamma; not a number where
  // factorising the Gram matrix is cheaper.
  double operator()(double gamma, double lambda);
  // Estimates of what settling one pair takes by the fastest means: before anything is known of its
  // gamma, and from the low-rank factor, which is made for it.
  double least_time() const;
  double time(double gamma, double lambda);

 private:
  bool hopeful() const { return least_time() < factor_time(task_); }
  void take(double gamma, double lambda);
  double shift(double lambda) const;
  index_t capacity() const;
  double steps_needed(double lambda) const;
  double most_left(double lambda) const;
  double time_of(double steps, double rank) const;

  const SearchTask& task_;
  double gamma_ = 0, lambda_ = 0;  // for which the factor was made
  bool gave_up_ = false;           // it would not have been of use
  std::unique_ptr<LowRank> low_rank_;
};

}  // namespace flexkern

#endif
