#include "low_rank_systems.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// What rounding in single precision may leave of a residual.
constexpr double kResidual = 0.1;

double norm(index_t n, const float* v) {
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += static_cast<double>(v[i]) * v[i];
  return std::sqrt(sum);
}

}  // namespace

LowRankSystems::LowRankSystems(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram,
                               const Micro& micro, LowRank& low_rank, double lambda, int threads,
                               Context& context)
    : plan_(plan),
      responses_(responses),
      gram_(gram),
      micro_(micro),
      low_rank_(low_rank),
      threads_(threads),
      context_(context) {
  low_rank_.set_lambda(lambda);
  for (std::size_t f = 0; f < plan.folds.size(); ++f)
    for (index_t c = 0; c < responses.cols(); ++c)
      columns_.push_back(
          {plan.folds[f].mask.data(), lambda * plan.folds[f].rows, static_cast<int>(f)});
  const index_t block = start(columns_.size());
  for (Buffer<float>* buffer : {&u_, &residual_, &product_}) *buffer = Buffer<float>(block);
  decision_ = Buffer<double>(block);
}

bool LowRankSystems::solve(index_t most) {
  if (!low_rank_.predict(responses_, decision_.data())) return false;
  if (exact()) return true;
  take_dual();
  const double before = update_residuals();
  if (before <= kReduction) return true;
  const index_t steps = block_cg(gram_, micro_, columns_, &low_rank_, residual_.data(), u_.data(),
                                 kReduction / before, most, threads_, context_);
  return steps < most && update_residuals() <= kResidual;
}

// The solution of the low-rank systems leaves the residual S (K - L L') S u, and shift u is the
// error of the fit.
bool LowRankSystems::exact() const {
  return std::all_of(columns_.begin(), columns_.end(), [&](const CgColumn& column) {
    return low_rank_.left() <= kExact * column.shift;
  });
}

// shift u = S (y - decision), as the solution has it.
void LowRankSystems::take_dual() {
  std::fill_n(u_.data(), u_.size(), 0.0f);
  for (std::size_t s = 0; s < columns_.size(); ++s)
    for (index_t i = 0, at = start(s); i < plan_.n; ++i, ++at)
      u_[at] = static_cast<float>(columns_[s].mask[i] * (target(s, i) - decision_[at]) /
                                  columns_[s].shift);
}

// residual = S (y - K S u) - shift u; returns the largest one relative to shift u.
double LowRankSystems::update_residuals() {
  std::fill_n(residual_.data(), residual_.size(), 0.0f);
  for (std::size_t s = 0; s < columns_.size(); ++s)
    for (index_t i = 0, at = start(s); i < plan_.n; ++i, ++at)
      residual_[at] = columns_[s].mask[i] * u_[at];
  gram_.multiply(residual_.data(), static_cast<index_t>(columns_.size()), product_.data());
  double worst = 0;
  for (std::size_t s = 0; s < columns_.size(); ++s) {
    for (index_t i = 0, at = start(s); i < plan_.n; ++i, ++at) {
      decision_[at] = product_[at];
      residual_[at] = static_cast<float>(columns_[s].mask[i] * (target(s, i) - decision_[at]) -
                                         columns_[s].shift * u_[at]);
    }
    const double error = columns_[s].shift * norm(plan_.n, u_.data() + start(s));
    if (error > 0) worst = std::max(worst, norm(plan_.n, residual_.data() + start(s)) / error);
  }
  return std::isfinite(worst) ? worst : HUGE_VAL;
}

double LowRankSystems::risk(const Clip& clip) const {
  double loss = 0, total = 0;
  for (std::size_t s = 0; s < columns_.size(); ++s)
    for (index_t i : plan_.folds[static_cast<std::size_t>(columns_[s].fold)].held_out) {
      const double weight = plan_.weights[static_cast<std::size_t>(i)];
      const double error = target(s, i) - clip(decision_[start(s) + i]);
      loss += weight * error * error;
      total += weight;
    }
  return loss / total;
}

}  // namespace flexkern
