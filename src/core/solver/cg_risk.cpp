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

CgRisk::CgRisk(const SearchTask& task, const Points& x, const Kernel& kernel, const Device& device,
               double expected)
    : task_(task),
      x_(x),
      kernel_(kernel),
      device_(device),
      reduction_(std::max(kFinest, std::min(kLoosest, kShare * std::sqrt(expected)))) {}

void CgRisk::set_pair(double gamma, double lambda) {
  if (gamma == gamma_) return preconditioner_->set_lambda(lambda);
  gamma_ = gamma;
  task_.gram.set_gamma(gamma);
  preconditioner_ =
      std::make_unique<LowRank>(task_.plan, lambda, x_, kernel_.with_gamma(gamma), device_,
                                std::min(kRank, task_.plan.n / 5), task_.threads, task_.context);
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
  block_cg(task_.gram, task_.micro, columns, preconditioner_.get(), b.data(), u.data(), reduction_,
           std::min(kSteps, task_.options.max_iter), task_.threads, task_.context);
  for (std::size_t s = 0; s < columns.size(); ++s)
    for (index_t i = 0; i < stride; ++i)
      u[static_cast<index_t>(s) * stride + i] *= columns[s].mask[i];
  task_.gram.multiply(u.data(), static_cast<index_t>(columns.size()), b.data());
  return validation_risk(plan, task_.responses, task_.options.clip, b.data());
}

}  // namespace flexkern
