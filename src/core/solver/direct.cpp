#include "direct.h"

#include <algorithm>
#include <limits>

namespace flexkern {
namespace {

std::vector<index_t> training_rows(const Fold& fold, index_t n) {
  std::vector<index_t> rows;
  for (index_t i = 0; i < n; ++i)
    if (fold.mask[i] > 0) rows.push_back(i);
  return rows;
}

}  // namespace

FoldFactor::FoldFactor(const Fold& fold, index_t n, const GramMatrix& gram, const Micro& micro,
                       int threads, Context& context)
    : fold_(fold),
      gram_(gram),
      rows_(training_rows(fold, n)),
      cholesky_(static_cast<index_t>(rows_.size()), micro, threads, context) {}

void FoldFactor::load() {
  gram_.submatrix(rows_, cholesky_.column(0), cholesky_.order());
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    float* column = cholesky_.column(static_cast<index_t>(j));
    for (std::size_t i = j; i < rows_.size(); ++i)
      column[i] *= fold_.mask[rows_[i]] * fold_.mask[rows_[j]];
  }
}

bool FoldFactor::factor(double shift) {
  load();
  return cholesky_.factor(shift);
}

void FoldFactor::solve(const float* b, float* u, index_t stride, index_t cols) const {
  const index_t order = cholesky_.order();
  Buffer<float> work(order * cols);
  std::fill_n(work.data(), work.size(), 0.0f);
  for (index_t c = 0; c < cols; ++c)
    for (std::size_t i = 0; i < rows_.size(); ++i)
      work[c * order + static_cast<index_t>(i)] = b[c * stride + rows_[i]];
  cholesky_.solve(work.data(), cols);
  std::fill_n(u, stride * cols, 0.0f);
  for (index_t c = 0; c < cols; ++c)
    for (std::size_t i = 0; i < rows_.size(); ++i)
      u[c * stride + rows_[i]] = work[c * order + static_cast<index_t>(i)];
}

double direct_cost(const FoldPlan& plan) {
  double cost = 0;
  for (const Fold& fold : plan.folds) cost += fold.rows * fold.rows * fold.rows / 3;
  return cost;
}

double product_cost(const FoldPlan& plan, index_t systems) {
  const double n = static_cast<double>(plan.n);
  return 2 * n * n * static_cast<double>(systems);
}

double direct_risk(const FoldPlan& plan, ConstMatrixRef responses, double lambda, const Clip& clip,
                   GramMatrix& gram, const Micro& micro, int threads, Context& context) {
  const index_t stride = plan.stride, count = responses.cols();
  const index_t folds = static_cast<index_t>(plan.folds.size());
  Buffer<float> coef(stride * count * folds), decision(stride * count * folds);
  for (index_t f = 0; f < folds; ++f) {
    const Fold& fold = plan.folds[static_cast<std::size_t>(f)];
    float* block = coef.data() + f * count * stride;
    std::fill_n(block, stride * count, 0.0f);
    for (index_t c = 0; c < count; ++c)
      for (index_t i = 0; i < plan.n; ++i)
        block[c * stride + i] = fold.mask[i] * static_cast<float>(responses(i, c));
    FoldFactor factor(fold, plan.n, gram, micro, threads, context);
    if (!factor.factor(lambda * fold.rows)) return std::numeric_limits<double>::quiet_NaN();
    factor.solve(block, block, stride, count);
    for (index_t c = 0; c < count; ++c)
      for (index_t i = 0; i < stride; ++i) block[c * stride + i] *= fold.mask[i];
  }
  gram.multiply(coef.data(), count * folds, decision.data());
  double loss = 0, weight = 0;
  for (index_t f = 0; f < folds; ++f)
    for (index_t row : plan.folds[static_cast<std::size_t>(f)].held_out) {
      const double w = plan.weights[static_cast<std::size_t>(row)];
      weight += w;
      for (index_t c = 0; c < count; ++c) {
        const double error = responses(row, c) - clip(decision[(f * count + c) * stride + row]);
        loss += w * error * error;
      }
    }
  return loss / (weight * static_cast<double>(count));
}

}  // namespace flexkern
