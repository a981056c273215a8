#include "low_rank.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/device/cpu/update.h"
#include "fold_grams.h"
#include "inner_system.h"

namespace flexkern {
namespace {

constexpr index_t kRows = 256;  // rows whose products are added up in a row
// Rounding of single precision, in diagonals of a matrix.
constexpr double kRounding = 1e-7;

}  // namespace

LowRank::LowRank(const FoldPlan& plan, const Points& x, const Kernel& kernel, const Device& device,
                 const RankLimits& limits, int threads, Context& context)
    : plan_(plan),
      micro_(device.host()),
      threads_(threads),
      context_(context),
      factor_(x, kernel, device, limits, threads, context),
      padded_(round_up(factor_.rank(), kPanel)) {}

void LowRank::pack() {
  const index_t n = plan_.stride, rank = factor_.rank();
  rows_ = Buffer<float>(rank * n);
  columns_ = Buffer<float>(padded_ * n);
  std::fill_n(columns_.data(), columns_.size(), 0.0f);
  parallel_for(n / kPanel, threads_, context_, [&](index_t p, int) {
    const double* from = factor_.panel(p);
    for (index_t j = 0; j < rank; ++j)
      for (index_t r = 0; r < kPanel; ++r) {
        const float value = static_cast<float>(from[j * kPanel + r]);
        rows_[(p * rank + j) * kPanel + r] = value;
        columns_[(j / kPanel * n + p * kPanel + r) * kPanel + j % kPanel] = value;
      }
  });
}

void LowRank::set_lambda(double lambda) {
  if (grams_.empty()) {
    grams_ = fold_grams(plan_, factor_, micro_, threads_, context_);
    for (std::size_t f = 0; f < plan_.folds.size(); ++f)
      inner_.push_back(std::make_unique<Cholesky>(factor_.rank(), micro_, threads_, context_));
  }
  shift_.clear();
  for (std::size_t f = 0; f < plan_.folds.size(); ++f) {
    shift_.push_back(lambda * plan_.folds[f].rows);
    double largest = 0, shift = shift_.back();
    for (index_t j = 0; j < rank(); ++j) largest = std::max(largest, grams_[f][j * rank() + j]);
    // Rounding of single precision may outweigh the shift; a larger one preconditions as well.
    for (double more = kRounding * largest; !factor_inner(f, shift); more *= 10) shift += more;
  }
}

bool LowRank::factor_inner(std::size_t f, double shift) {
  for (index_t j = 0; j < rank(); ++j)
    for (index_t i = j; i < rank(); ++i)
      inner_[f]->column(j)[i] = static_cast<float>(grams_[f][j * rank() + i]);
  return inner_[f]->factor(shift);
}

void LowRank::solve_inner(const std::vector<int>& fold, float* w) const {
  for (std::size_t c = 0, end = 0; c < fold.size(); c = end) {
    while (end < fold.size() && fold[end] == fold[c]) ++end;
    inner_[static_cast<std::size_t>(fold[c])]->solve(w + static_cast<index_t>(c) * padded_,
                                                     static_cast<index_t>(end - c));
  }
}

// z = (r - S L (shift I + L' S^2 L)^-1 L' S r) / shift.
void LowRank::apply(const std::vector<int>& fold, const float* r, float* z) {
  if (rows_.size() == 0) pack();
  const index_t n = plan_.stride, rank = factor_.rank(), unit = micro_.cols_f32;
  const index_t cols = static_cast<index_t>(fold.size());
  const auto fold_of = [&](index_t c) { return fold[static_cast<std::size_t>(c)]; };
  Buffer<float> right(round_up(cols, unit) * std::max(n, padded_)), middle(padded_ * cols);
  for (index_t c = 0; c < cols; ++c) {
    const float* s = mask(fold_of(c));
    for (index_t i = 0; i < n; ++i) z[c * n + i] = s[i] * r[c * n + i];
  }
  pack_columns(z, n, cols, unit, 0, n, n, right.data());
  std::fill_n(middle.data(), middle.size(), 0.0f);
  parallel_for(padded_ / kPanel, threads_, context_, [&](index_t p, int) {
    for (index_t k = 0; k < n; k += kRows)
      update_panel(micro_, std::min(kRows, n - k), columns_.data() + (p * n + k) * kPanel,
                   right.data() + k * unit, unit * n, cols, middle.data() + p * kPanel, padded_);
  });
  solve_inner(fold, middle.data());
  pack_columns(middle.data(), padded_, cols, unit, 0, rank, rank, right.data());
  parallel_for(n / kPanel, threads_, context_, [&](index_t p, int) {
    for (index_t c = 0; c < cols; ++c) std::fill_n(z + c * n + p * kPanel, kPanel, 0.0f);
    update_panel(micro_, rank, rows_.data() + p * rank * kPanel, right.data(), unit * rank, cols,
                 z + p * kPanel, n);
    for (index_t c = 0; c < cols; ++c) {
      const float* s = mask(fold_of(c));
      const float scale = static_cast<float>(1 / shift_[static_cast<std::size_t>(fold_of(c))]);
      for (index_t i = p * kPanel; i < (p + 1) * kPanel; ++i)
        z[c * n + i] = scale * (r[c * n + i] - s[i] * z[c * n + i]);
    }
  });
}

// L' S^2 y.
std::vector<double> LowRank::right_hand_side(const float* mask, const double* y) const {
  std::vector<double> b(static_cast<std::size_t>(rank()), 0.0);
  for (index_t p = 0; p < plan_.stride / kPanel; ++p) {
    const double* l = factor_.panel(p);
    double target[kPanel] = {};
    for (index_t r = 0; r < kPanel && p * kPanel + r < plan_.n; ++r) {
      const double s = mask[p * kPanel + r];
      target[r] = s * s * y[p * kPanel + r];
    }
    for (double& sum : b) {
      for (index_t r = 0; r < kPanel; ++r) sum += l[r] * target[r];
      l += kPanel;
    }
  }
  return b;
}

bool LowRank::predict(ConstMatrixRef responses, double* decision) const {
  const index_t rank = factor_.rank(), unit = micro_.cols_f64, count = responses.cols();
  const index_t systems = static_cast<index_t>(plan_.folds.size()) * count;
  Buffer<double> right(round_up(systems, unit) * std::max<index_t>(rank, 1));
  std::fill_n(right.data(), right.size(), 0.0);
  std::vector<char> solved(static_cast<std::size_t>(systems), 0);
  parallel_for(systems, threads_, context_, [&](index_t s, int) {
    const std::size_t f = static_cast<std::size_t>(s / count);
    const auto b = right_hand_side(plan_.folds[f].mask.data(), responses.col(s % count));
    std::vector<double> w(b.size(), 0.0);
    InnerSystem system(grams_[f], shift_[f], *inner_[f], context_);
    solved[static_cast<std::size_t>(s)] = system.solve(b, w);
    double* out = right.data() + s / unit * unit * rank + s % unit;
    for (index_t j = 0; j < rank; ++j) out[j * unit] = w[static_cast<std::size_t>(j)];
  });
  if (std::count(solved.begin(), solved.end(), 0) > 0) return false;
  parallel_for(plan_.stride / kPanel, threads_, context_, [&](index_t p, int) {
    for (index_t s = 0; s < systems; ++s)
      std::fill_n(decision + s * plan_.stride + p * kPanel, kPanel, 0.0);
    update_panel(micro_, rank, factor_.panel(p), right.data(), unit * rank, systems,
                 decision + p * kPanel, plan_.stride);
  });
  return true;
}

}  // namespace flexkern
