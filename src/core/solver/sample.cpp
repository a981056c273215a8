#include "sample.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"

namespace flexkern {
namespace {

// The fold that holds a row out, or the number of folds.
std::vector<std::size_t> holders(const FoldPlan& plan) {
  std::vector<std::size_t> holder(static_cast<std::size_t>(plan.n), plan.folds.size());
  for (std::size_t f = 0; f < plan.folds.size(); ++f)
    for (index_t i : plan.folds[f].held_out) holder[static_cast<std::size_t>(i)] = f;
  return holder;
}

}  // namespace

std::vector<index_t> sample_rows(const FoldPlan& plan, double share, std::uint64_t seed,
                                 std::uint64_t item) {
  Rng rng(seed, stream::kProbe + 1 + item);
  const std::vector<std::size_t> holder = holders(plan);
  std::vector<double> left(plan.folds.size() + 1, 0.0);
  for (std::size_t f : holder) ++left[f];
  for (double& rows : left) rows = std::ceil(share * rows);
  std::vector<index_t> all, rows;
  for (index_t i = 0; i < plan.n; ++i) all.push_back(i);
  rng.shuffle(all);
  for (index_t i : all)
    if (left[holder[static_cast<std::size_t>(i)]]-- > 0) rows.push_back(i);
  std::sort(rows.begin(), rows.end());
  return rows;
}

FoldPlan restrict_plan(const FoldPlan& plan, const std::vector<index_t>& rows, index_t stride) {
  std::vector<double> weights;
  for (index_t i : rows) weights.push_back(plan.weights[static_cast<std::size_t>(i)]);
  FoldPlan out(static_cast<index_t>(rows.size()), stride, std::move(weights));
  const auto row = [&](index_t i) { return rows[static_cast<std::size_t>(i)]; };
  for (const Fold& fold : plan.folds) {
    std::vector<char> held_out(static_cast<std::size_t>(plan.n), 0);
    for (index_t i : fold.held_out) held_out[static_cast<std::size_t>(i)] = 1;
    out.add([&](index_t i) { return fold.mask[row(i)] > 0; },
            [&](index_t i) { return held_out[static_cast<std::size_t>(row(i))] != 0; });
  }
  return out;
}

Sample::Sample(const SearchTask& task, double share, std::uint64_t item,
               std::function<void(double)> report)
    : rows_(sample_rows(task.plan, share, task.context.seed, item)),
      points_(std::make_unique<ChosenPoints>(task.x, rows_)) {
  for (index_t c = 0; c < task.responses.cols(); ++c)
    for (index_t i : rows_) responses_.push_back(task.responses(i, c));
  const Points x = points_->points();
  gram_ = task.device.gram(x, task.kernel, task.threads, task.context);
  plan_ = std::make_unique<FoldPlan>(restrict_plan(task.plan, rows_, gram_->stride()));
  const ConstMatrixRef y(responses_.data(), x.rows(), task.responses.cols());
  task_ = std::make_unique<SearchTask>(SearchTask{*plan_, y, x, task.kernel, *gram_, task.device,
                                                  task.threads, task.options, task.context,
                                                  std::move(report)});
}

}  // namespace flexkern
