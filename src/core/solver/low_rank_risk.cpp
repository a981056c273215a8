#include "low_rank_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "low_rank_systems.h"

namespace flexkern {
namespace {

// Cells below this size are factorised.
constexpr index_t kLowRankRows = 500;
// A rank above this share of the rows, or above this number, costs too much.
constexpr index_t kShare = 4, kLargestRank = 1024;
// The share of what may be left that a factor is made to leave, so that it serves a smaller penalty
// as well.
constexpr double kLeft = 0.5 * LowRankSystems::kExact;
// The largest eigenvalue of what is left, in means of them.
constexpr double kSpread = 10;
// Steps that are tried, as a multiple of those expected, and those before anything is known.
constexpr double kPatience = 4, kFewSteps = 1;
// Steps that the estimate leaves out.
constexpr double kFreeSteps = 4;
// Penalties that share a factor.
constexpr double kPenalties = 3;

// Steps of conjugate gradients per root of the condition number.
double steps_per_root() { return 0.5 * std::log(2 / LowRankSystems::kReduction); }

double cube(double x) { return x * x * x; }

}  // namespace

double LowRankRisk::shift(double lambda) const {
  double rows = 0;
  for (const Fold& fold : task_.plan.folds) rows += fold.rows;
  return lambda * rows / static_cast<double>(task_.plan.folds.size());
}

index_t LowRankRisk::capacity() const { return std::min(task_.plan.n / kShare, kLargestRank); }

// So many steps with a factor of that rank, and the inner systems of all folds.
double LowRankRisk::time_of(double steps, double rank) const {
  const double n = static_cast<double>(task_.plan.n);
  const double folds = static_cast<double>(task_.plan.folds.size());
  const double systems = folds * static_cast<double>(task_.responses.cols());
  const double step = product_time(task_) + kFlopTime * 4 * n * rank * systems;
  return steps * step + kFlopTime * folds * cube(rank) / 3;
}

double LowRankRisk::least_time() const {
  if (task_.plan.n < kLowRankRows) return factor_time(task_);
  const double n = static_cast<double>(task_.plan.n), rank = static_cast<double>(capacity()) / 2;
  const double making = kDoubleFlopTime * 3 * n * rank * rank / kPenalties;
  return std::min(factor_time(task_), time_of(kFewSteps, rank) + making);
}

// Makes the low-rank factor of this gamma, one that is good enough for the penalty.
void LowRankRisk::take(double gamma, double lambda) {
  task_.gram.set_gamma(gamma);
  const double may = LowRankSystems::kExact * shift(lambda);
  const bool known = low_rank_ && gamma == gamma_;
  if (known && (low_rank_->rank() >= capacity() || low_rank_->left() <= may)) return;
  if (known && gave_up_ && lambda <= lambda_) return;
  low_rank_.reset();
  gamma_ = gamma;
  lambda_ = lambda;
  const RankLimits limits{capacity(), kLeft * shift(lambda), most_left(lambda)};
  low_rank_ = std::make_unique<LowRank>(task_.plan, task_.x, task_.kernel.with_gamma(gamma),
                                        task_.device, limits, task_.threads, task_.context);
  gave_up_ = low_rank_->rank() < capacity() && low_rank_->left() > limits.enough;
}

// By the bound of conjugate gradients through the condition number.
double LowRankRisk::steps_needed(double lambda) const {
  const double rest = static_cast<double>(task_.plan.n - low_rank_->rank());
  const double norm = std::min(1.0, kSpread / rest) * low_rank_->left();
  return 1 + steps_per_root() * (std::sqrt(1 + norm / shift(lambda)) - 1);
}

// The inverse of the above: what may be left for half the time of factorising.
double LowRankRisk::most_left(double lambda) const {
  const double rank = static_cast<double>(capacity());
  const double rest = static_cast<double>(task_.plan.n) - rank;
  const double fixed = time_of(0, rank), step = time_of(1, rank) - fixed;
  const double root = std::max(0.5 * factor_time(task_) - fixed, step) / (step * steps_per_root());
  return shift(lambda) * root * root * std::max(1.0, rest / kSpread);
}

double LowRankRisk::time(double gamma, double lambda) {
  if (!hopeful()) return factor_time(task_);
  take(gamma, lambda);
  if (gave_up_) return factor_time(task_);
  const double rank = static_cast<double>(low_rank_->rank());
  return std::min(factor_time(task_), time_of(steps_needed(lambda), rank));
}

double LowRankRisk::operator()(double gamma, double lambda) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (!(time(gamma, lambda) < factor_time(task_))) return nothing;
  LowRankSystems all(task_.plan, task_.responses, task_.gram, task_.device.host(), *low_rank_,
                     lambda, task_.threads, task_.context);
  const auto most = static_cast<index_t>(kPatience * (kFreeSteps + steps_needed(lambda)));
  return all.solve(most) ? all.risk(task_.options.clip) : nothing;
}

}  // namespace flexkern
