#include "pivoted_cholesky.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.h"
#include "core/device/cpu/pairwise.h"
#include "core/device/cpu/update.h"

namespace flexkern {
namespace {

constexpr index_t kBlock = 64;  // pivots at a time
// What is smaller than this share of the diagonal is rounding error.
constexpr double kNoise = 1e-12;
// A pivot whose remainder the others of its block leave less than this share of gives nothing new.
constexpr double kDuplicate = 0.01;

}  // namespace

PivotedCholesky::PivotedCholesky(const Points& x, const Kernel& kernel, const Device& device,
                                 const RankLimits& limits, int threads, Context& context)
    : x_(x),
      kernel_(kernel),
      device_(device),
      micro_(device.host()),
      n_(x.rows()),
      stride_(round_up(n_, kPanel)),
      capacity_(limits.capacity),
      threads_(threads),
      context_(context),
      rng_(context.seed, stream::kProbe),
      values_(stride_ * limits.capacity),
      columns_(stride_ * kBlock) {
  std::fill_n(values_.data(), values_.size(), 0.0);
  std::fill_n(columns_.data(), columns_.size(), 0.0);
  diagonal_ = kernel_diagonal(x, kernel, micro_);
  diagonal_.resize(static_cast<std::size_t>(n_));
  for (double& d : diagonal_) d = std::max(d, 0.0);
  largest_ = *std::max_element(diagonal_.begin(), diagonal_.end());
  while (rank_ < capacity_ && left() > limits.enough) {
    context_.check();
    if (!(*std::max_element(diagonal_.begin(), diagonal_.end()) > kNoise * largest_)) break;
    const double before = left();
    const index_t rank = rank_;
    const std::vector<index_t> pivots = draw(std::min(kBlock, capacity_ - rank_));
    residual_columns(pivots);
    std::vector<index_t> kept;
    const std::vector<double> inverse = reduce(pivots, kept);
    if (kept.empty()) break;
    append(inverse, kept);
    for (index_t k : kept) {
      const index_t pivot = pivots[static_cast<std::size_t>(k)];
      diagonal_[static_cast<std::size_t>(pivot)] = 0;
    }
    // The pace of later columns is that of these, or slower.
    const double columns = static_cast<double>(rank_ - rank);
    const double rest = static_cast<double>(capacity_ - rank_) / columns;
    if (rank > 0 && left() * std::pow(left() / before, rest) > limits.most) break;
  }
  columns_ = Buffer<double>();
}

double PivotedCholesky::left() const {
  return std::accumulate(diagonal_.begin(), diagonal_.end(), 0.0);
}

// Different rows in proportion to the diagonal.
std::vector<index_t> PivotedCholesky::draw(index_t count) {
  std::vector<double> ends(diagonal_.size());
  std::partial_sum(diagonal_.begin(), diagonal_.end(), ends.begin());
  std::vector<index_t> pivots;
  for (index_t k = 0; k < 2 * count && static_cast<index_t>(pivots.size()) < count; ++k) {
    const double at = rng_.uniform() * ends.back();
    const index_t i =
        std::min<index_t>(n_ - 1, std::upper_bound(ends.begin(), ends.end(), at) - ends.begin());
    if (std::find(pivots.begin(), pivots.end(), i) == pivots.end()) pivots.push_back(i);
  }
  return pivots;
}

// The columns of K - L L' at the pivots.
void PivotedCholesky::residual_columns(const std::vector<index_t>& pivots) {
  const index_t count = static_cast<index_t>(pivots.size()), unit = micro_.cols_f64;
  std::vector<double> identity(pivots.size() * pivots.size(), 0.0);
  for (std::size_t j = 0; j < pivots.size(); ++j) identity[j * pivots.size() + j] = 1;
  device_.expand(x_, ChosenPoints(x_, pivots).points(), kernel_, {identity.data(), count, count},
                 {columns_.data(), n_, count, stride_}, threads_, context_);
  // -L' at the pivots, as groups of columns.
  Buffer<double> right(round_up(count, unit) * std::max<index_t>(rank_, 1));
  std::fill_n(right.data(), right.size(), 0.0);
  for (index_t c = 0; c < count; ++c) {
    const index_t row = pivots[static_cast<std::size_t>(c)];
    const double* from = panel(row / kPanel) + row % kPanel;
    double* to = right.data() + c / unit * unit * rank_ + c % unit;
    for (index_t j = 0; j < rank_; ++j) to[j * unit] = -from[j * kPanel];
  }
  parallel_for(stride_ / kPanel, threads_, context_, [&](index_t p, int) {
    update_panel(micro_, rank_, panel(p), right.data(), unit * rank_, count,
                 columns_.data() + p * kPanel, stride_);
  });
}

// The pivots that the others of their block do not stand for, and the inverse R^-1 (by columns) of
// their factor in G = R' R, G the rows of the residual columns at the pivots.
std::vector<double> PivotedCholesky::reduce(const std::vector<index_t>& pivots,
                                            std::vector<index_t>& kept) const {
  const std::size_t count = pivots.size();
  const auto entry = [&](std::size_t i, std::size_t j) {
    return columns_[static_cast<index_t>(j) * stride_ + pivots[i]];
  };
  std::vector<std::vector<double>> r;  // columns of R
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<double> column;
    double rest = entry(j, j);
    for (std::size_t k = 0; k < kept.size(); ++k) {
      double value = entry(static_cast<std::size_t>(kept[k]), j);
      for (std::size_t i = 0; i < k; ++i) value -= r[k][i] * column[i];
      column.push_back(value / r[k][k]);
      rest -= column[k] * column[k];
    }
    if (!(rest > kDuplicate * entry(j, j))) continue;
    column.push_back(std::sqrt(rest));
    r.push_back(std::move(column));
    kept.push_back(static_cast<index_t>(j));
  }
  const std::size_t m = kept.size();
  std::vector<double> inverse(m * m, 0.0);
  for (std::size_t c = 0; c < m; ++c)
    for (std::size_t i = c + 1; i-- > 0;) {
      double value = i == c ? 1 : 0;
      for (std::size_t k = i + 1; k <= c; ++k) value -= r[k][i] * inverse[c * m + k];
      inverse[c * m + i] = value / r[i][i];
    }
  return inverse;
}

// New columns of L: the residual columns times R^-1.
void PivotedCholesky::append(const std::vector<double>& inverse, const std::vector<index_t>& kept) {
  const index_t count = static_cast<index_t>(kept.size()), unit = micro_.cols_f64;
  Buffer<double> right(round_up(count, unit) * count);
  std::fill_n(right.data(), right.size(), 0.0);
  for (index_t c = 0; c < count; ++c)
    for (index_t i = 0; i <= c; ++i)
      right[c / unit * unit * count + i * unit + c % unit] =
          inverse[static_cast<std::size_t>(c * count + i)];
  parallel_for(stride_ / kPanel, threads_, context_, [&](index_t p, int) {
    double left[kPanel * kBlock];
    for (index_t j = 0; j < count; ++j)
      std::copy_n(columns_.data() + kept[static_cast<std::size_t>(j)] * stride_ + p * kPanel,
                  kPanel, left + j * kPanel);
    double* out = values_.data() + (p * capacity_ + rank_) * kPanel;
    update_panel(micro_, count, left, right.data(), unit * count, count, out, kPanel);
    const index_t rows = std::min(kPanel, n_ - p * kPanel);
    for (index_t r = 0; r < rows; ++r) {
      double& d = diagonal_[static_cast<std::size_t>(p * kPanel + r)];
      for (index_t j = 0; j < count; ++j) d -= out[j * kPanel + r] * out[j * kPanel + r];
      d = std::max(d, 0.0);
    }
  });
  rank_ += count;
}

}  // namespace flexkern
