#include "cg_risk.h"

#include <algorithm>
#include <cmath>

#include "block_cg.h"
#include "factor_risk.h"

namespace flexkern {
namespace {

// Relative residuals at which risks are known well enough to compare them: this share of the root
// of the risk, within limits.
constexpr double kShare = 0.03, kLoosest = 1e-2, kFinest = 1e-6;
// Steps after which a risk is taken as it is, and the rank of the preconditioner.
constexpr index_t kSteps = 200, kRank = 320;

}  // namespace

CgRisk::CgRisk(const SearchTask& task, double expected)
    : task_(task),
      reduction_(std::max(kFinest, std::min(kLoosest, kShare * std::sqrt(expected)))) {}

void CgRisk::set_pair(double gamma, double lambda) {
  const FoldPlan& plan = task_.plan;
  if (gamma != gamma_) {
    gamma_ = gamma;
    task_.gram.set_gamma(gamma);
    preconditioner_.reset();
    preconditioner_ = std::make_unique<LowRank>(
        plan, task_.x, task_.kernel.with_gamma(gamma), task_.device,
        RankLimits{std::min(kRank, plan.n / 5), lambda * plan.folds[0].rows}, task_.threads,
        task_.context);
  }
  preconditioner_->set_lambda(lambda);
}

double CgRisk::operator()(double gamma, double lambda) {
  const FoldPlan& plan = task_.plan;
  const index_t stride = plan.stride, count = task_.responses.cols();
  set_pair(gamma, lambda);
  std::vector<CgColumn> columns;
  Buffer<float> b(stride * count * static_cast<index_t>(plan.folds.size())), u(b.size());
  std::fill_n(u.data(), u.size(), 0.0f);
  for (const Fold& fold : plan.folds)
    for (index_t c = 0; c < count; ++c) {
      float* column = b.data() + static_cast<index_t>(columns.size()) * stride;
      for (index_t i = 0; i < stride; ++i)
        column[i] = i < plan.n ? fold.mask[i] * static_cast<float>(task_.responses(i, c)) : 0.0f;
      columns.push_back(
          {fold.mask.data(), lambda * fold.rows, static_cast<int>(&fold - plan.folds.data())});
    }
  block_cg(task_.gram, task_.device.host(), columns, preconditioner_.get(), b.data(), u.data(),
           reduction_, std::min(kSteps, task_.options.max_iter), task_.threads, task_.context);
  for (std::size_t s = 0; s < columns.size(); ++s)
    for (index_t i = 0; i < stride; ++i)
      u[static_cast<index_t>(s) * stride + i] *= columns[s].mask[i];
  task_.gram.multiply(u.data(), static_cast<index_t>(columns.size()), b.data());
  return validation_risk(plan, task_.responses, task_.options.clip, b.data());
}

}  // namespace flexkern
