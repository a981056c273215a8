#include "factor_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "times.h"

namespace flexkern {
namespace {

// f(row, response, place in a block, weight) for all held-out rows of positive weight.
template <typename F>
void for_held_out(const FoldPlan& plan, index_t count, F f) {
  for (std::size_t fold = 0; fold < plan.folds.size(); ++fold)
    for (index_t row : plan.folds[fold].held_out) {
      const double weight = plan.weights[static_cast<std::size_t>(row)];
      for (index_t c = 0; c < count && weight > 0; ++c)
        f(row, c, (static_cast<index_t>(fold) * count + c) * plan.stride + row, weight);
    }
}

}  // namespace

double validation_risk(const FoldPlan& plan, ConstMatrixRef responses, const Clip& clip,
                       const float* decision) {
  double loss = 0, total = 0;
  for_held_out(plan, responses.cols(), [&](index_t row, index_t c, index_t at, double weight) {
    const double error = responses(row, c) - clip(decision[at]);
    loss += weight * error * error;
    total += weight;
  });
  return loss / total;
}

FactorRisk::FactorRisk(const FoldPlan& plan, ConstMatrixRef responses, const Clip& clip,
                       GramMatrix& gram, const Micro& micro, int threads, Context& context,
                       double tol)
    : plan_(plan),
      responses_(responses),
      clip_(clip),
      gram_(gram),
      micro_(micro),
      threads_(threads),
      context_(context),
      tol_(tol),
      groups_(factor_groups(plan, responses.cols(), kSubstitutions)) {
  const index_t systems = responses.cols() * static_cast<index_t>(plan.folds.size());
  for (Buffer<float>* buffer : {&target_, &guess_, &out_})
    *buffer = Buffer<float>(plan.stride * systems);
  std::fill_n(target_.data(), target_.size(), 0.0f);
  for (index_t s = 0; s < systems; ++s)
    for (index_t i = 0; i < plan.n; ++i) {
      const double weight = plan.weights[static_cast<std::size_t>(i)];
      target_[s * plan.stride + i] =
          static_cast<float>(std::sqrt(weight) * responses(i, s % responses.cols()));
    }
  std::copy_n(target_.data(), target_.size(), guess_.data());
}

double FactorRisk::operator()(double lambda) {
  const bool done = together() ? predict_together(lambda) : predict_apart(lambda);
  return done ? validation_risk(plan_, responses_, clip_, out_.data())
              : std::numeric_limits<double>::quiet_NaN();
}

bool FactorRisk::predict_together(double lambda) {
  if (!factor_)
    factor_ = std::make_unique<SharedFactor>(plan_, groups_[0], gram_, micro_, threads_, context_);
  if (!factor_->factor(lambda)) return false;
  factor_->predict(guess_.data(), responses_.cols(), tol_, target_.data(), out_.data());
  for_held_out(plan_, responses_.cols(), [&](index_t, index_t, index_t at, double weight) {
    guess_[at] = out_[at];
    out_[at] /= static_cast<float>(std::sqrt(weight));
  });
  return true;
}

bool FactorRisk::predict_apart(double lambda) {
  const index_t count = responses_.cols();
  const auto fold_of = [&](index_t at) -> const Fold& {
    return plan_.folds[static_cast<std::size_t>(at / (plan_.stride * count))];
  };
  const index_t size = target_.size();
  for (index_t at = 0; at < size; ++at)
    guess_[at] = fold_of(at).mask[at % plan_.stride] > 0 ? target_[at] : 0;
  for (const auto& group : groups_) {
    SharedFactor factor(plan_, group, gram_, micro_, threads_, context_);
    if (!factor.factor(lambda)) return false;
    factor.solve(guess_.data(), count, 1, guess_.data());
  }
  for (index_t at = 0; at < size; ++at) guess_[at] *= fold_of(at).mask[at % plan_.stride];
  gram_.multiply(guess_.data(), size / plan_.stride, out_.data());
  return true;
}

}  // namespace flexkern
