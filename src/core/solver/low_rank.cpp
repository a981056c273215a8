#include "low_rank.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/device/cpu/pairwise.h"
#include "core/device/cpu/update.h"

namespace flexkern {

LowRank::LowRank(const FoldPlan& plan, double lambda, const Points& x, const Kernel& kernel,
                 const Device& device, index_t rank, int threads, Context& context)
    : plan_(plan), micro_(device.host()), threads_(threads), context_(context) {
  factor(x, kernel, device, rank);
  prepare_folds();
  pack();
  set_lambda(lambda);
}

namespace {

// An index drawn in proportion to the weights.
index_t draw(const Eigen::VectorXd& weights, Rng& rng) {
  double left = rng.uniform() * weights.sum();
  for (index_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0 && weights[i] > 0) return i;
  }
  index_t largest = 0;
  weights.maxCoeff(&largest);
  return largest;
}

}  // namespace

void LowRank::factor(const Points& x, const Kernel& kernel, const Device& device, index_t rank) {
  const index_t n = plan_.n;
  Rng rng(context_.seed, stream::kProbe);
  l_ = Eigen::MatrixXf::Zero(plan_.stride, rank);
  const std::vector<double> diagonal = kernel_diagonal(x, kernel, micro_);
  Eigen::VectorXd left = Eigen::Map<const Eigen::VectorXd>(diagonal.data(), n), column(n);
  const double one = 1;
  const double floor = 1e-6 * left.maxCoeff();
  for (index_t j = 0; j < rank && left.maxCoeff() > floor; ++j) {
    context_.check();
    const index_t pivot = draw(left, rng);
    const Points point = x.middle(pivot, 1);
    device.expand(x, point, kernel, {&one, 1, 1}, {column.data(), n, 1}, 1, context_);
    const double root = std::sqrt(left[pivot]);
    const Eigen::VectorXf known = l_.leftCols(j) * l_.row(pivot).head(j).transpose();
    for (index_t i = 0; i < n; ++i) {
      const double value = (column[i] - known[i]) / root;
      l_(i, j) = static_cast<float>(value);
      left[i] = std::max(0.0, left[i] - value * value);
    }
    left[pivot] = 0;
  }
}

void LowRank::prepare_folds() {
  const index_t rank = l_.cols();
  for (const Fold& fold : plan_.folds) {
    context_.check();
    Eigen::Map<const Eigen::VectorXf> mask(fold.mask.data(), plan_.stride);
    const Eigen::MatrixXf masked = mask.asDiagonal() * l_;
    Eigen::MatrixXf gram = Eigen::MatrixXf::Zero(rank, rank);
    gram.selfadjointView<Eigen::Lower>().rankUpdate(masked.transpose());
    gram_.push_back(gram.cast<double>());
  }
}

// The Cholesky factor of shift I + L' S^2 L for every fold.
void LowRank::set_lambda(double lambda) {
  inner_.clear();
  shift_.clear();
  for (std::size_t f = 0; f < gram_.size(); ++f) {
    context_.check();
    shift_.push_back(lambda * plan_.folds[f].rows);
    Eigen::MatrixXd inner = gram_[f];
    inner.diagonal().array() += shift_.back();
    inner_.emplace_back(inner);
    // Rounding of single precision may outweigh the shift; a larger one preconditions as well.
    for (double more = 1e-6 * inner.diagonal().maxCoeff(); inner_.back().info() != Eigen::Success;
         more *= 10) {
      inner.diagonal().array() += more;
      inner_.back().compute(inner);
    }
  }
}

void LowRank::pack() {
  const index_t n = plan_.stride, rank = l_.cols(), padded = round_up(rank, kPanel);
  rows_ = Buffer<float>(n * rank);
  columns_ = Buffer<float>(padded * n);
  std::fill_n(columns_.data(), columns_.size(), 0.0f);
  for (index_t j = 0; j < rank; ++j)
    for (index_t i = 0; i < n; ++i) {
      rows_[(i / kPanel * rank + j) * kPanel + i % kPanel] = l_(i, j);
      columns_[(j / kPanel * n + i) * kPanel + j % kPanel] = l_(i, j);
    }
  l_.resize(0, rank);
}

void LowRank::apply(const std::vector<int>& fold, const float* r, float* z) const {
  const index_t n = plan_.stride, rank = l_.cols(), padded = round_up(rank, kPanel);
  const index_t cols = static_cast<index_t>(fold.size()), unit = micro_.cols_f32;
  const auto mask = [&](index_t c) {
    return plan_.folds[static_cast<std::size_t>(fold[static_cast<std::size_t>(c)])].mask.data();
  };
  Buffer<float> right(round_up(cols, unit) * std::max(n, padded)), middle(padded * cols);
  for (index_t c = 0; c < cols; ++c)
    for (index_t i = 0; i < n; ++i) z[c * n + i] = mask(c)[i] * r[c * n + i];
  pack_columns(z, n, cols, unit, 0, n, n, right.data());
  std::fill_n(middle.data(), middle.size(), 0.0f);
  parallel_for(padded / kPanel, threads_, context_, [&](index_t p, int) {
    update_panel(micro_, n, columns_.data() + p * n * kPanel, right.data(), unit * n, cols,
                 middle.data() + p * kPanel, padded);
  });
  for (index_t c = 0; c < cols; ++c) {
    const std::size_t f = static_cast<std::size_t>(fold[static_cast<std::size_t>(c)]);
    Eigen::Map<Eigen::VectorXf> w(middle.data() + c * padded, rank);
    w = inner_[f].solve(w.cast<double>()).cast<float>();
  }
  pack_columns(middle.data(), padded, cols, unit, 0, rank, rank, right.data());
  std::fill_n(z, n * cols, 0.0f);
  parallel_for(n / kPanel, threads_, context_, [&](index_t p, int) {
    update_panel(micro_, rank, rows_.data() + p * rank * kPanel, right.data(), unit * rank, cols,
                 z + p * kPanel, n);
  });
  for (index_t c = 0; c < cols; ++c) {
    const std::size_t f = static_cast<std::size_t>(fold[static_cast<std::size_t>(c)]);
    const float scale = static_cast<float>(1 / shift_[f]);
    for (index_t i = 0; i < n; ++i)
      z[c * n + i] = scale * (r[c * n + i] - mask(c)[i] * z[c * n + i]);
  }
}

}  // namespace flexkern
