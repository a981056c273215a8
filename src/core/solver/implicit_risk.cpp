#include "implicit_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cholesky.h"
#include "core/base/parallel.h"
#include "core/base/weights.h"
#include "hg_gradient.h"

namespace flexkern {

ImplicitRisk::ImplicitRisk(const SplitData& data, const Micro& micro, int threads, Context& context)
    : data_(data),
      micro_(micro),
      threads_(threads),
      context_(context),
      tiles_(ConstMatrixRef(data.x.data(), data.train, data.x.cols(), data.x.stride()), data.x,
             micro),
      gram_(data.x.rows() * data.train) {
  const double mean = mean_weight(data_.weights.data(), data_.train);
  for (index_t i = 0; i < data_.train; ++i) root_.push_back(std::sqrt(weight(i) / mean));
  for (index_t i = data_.train; i < data_.x.rows(); ++i) total_weight_ += weight(i);
}

ImplicitRisk::~ImplicitRisk() = default;

// out = rows [first, first + rows) of the kernel matrix times `in`, sums in double precision.
void ImplicitRisk::multiply(index_t first, index_t rows, const double* in, double* out) const {
  const index_t block = 256, blocks = (rows + block - 1) / block, stride = data_.x.rows();
  parallel_for(blocks, threads_, context_, [&](index_t b, int) {
    const index_t begin = b * block, end = std::min(rows, begin + block);
    std::fill(out + begin, out + end, 0.0);
    for (index_t j = 0; j < data_.train; ++j) {
      const float* column = gram_.data() + j * stride + first;
      for (index_t i = begin; i < end; ++i) out[i] += in[j] * static_cast<double>(column[i]);
    }
  });
}

// (S K S + shift I) out = right for each response, refined twice: S K S is known in single
// precision only, but its inverse shall not add to that.
bool ImplicitRisk::solve(const std::vector<double>& right, std::vector<double>& out) {
  const index_t n = data_.train, order = cholesky_->order(), cols = data_.y.cols();
  std::vector<double> scaled(root_.size()), product(root_.size());
  Buffer<float> block(order * cols);
  out.assign(right.size(), 0.0);
  for (int step = 0; step < 3; ++step) {
    std::fill_n(block.data(), block.size(), 0.0f);
    for (index_t c = 0; c < cols; ++c) {
      const double *b = right.data() + c * n, *u = out.data() + c * n;
      for (index_t i = 0; i < n; ++i) scaled[static_cast<std::size_t>(i)] = root_[i] * u[i];
      if (step > 0) multiply(0, n, scaled.data(), product.data());
      for (index_t i = 0; i < n; ++i)
        block[c * order + i] =
            static_cast<float>(b[i] - (step > 0 ? root_[static_cast<std::size_t>(i)] *
                                                          product[static_cast<std::size_t>(i)] +
                                                      shift_ * u[i]
                                                : 0.0));
    }
    cholesky_->solve(block.data(), cols);
    for (index_t c = 0; c < cols; ++c)
      for (index_t i = 0; i < n; ++i)
        out[static_cast<std::size_t>(c * n + i)] += block[c * order + i];
  }
  return std::all_of(out.begin(), out.end(), [](double v) { return std::isfinite(v); });
}

double ImplicitRisk::value(const Hierarchy& hierarchy, double shift) {
  const double infinite = std::numeric_limits<double>::infinity();
  const index_t n = data_.train, rows = data_.x.rows(), cols = data_.y.cols();
  shift_ = shift;
  tiles_.set(hierarchy);
  hierarchy_values(tiles_, 1.0, gram_.data(), rows, threads_, context_);
  cholesky_ = std::make_unique<Cholesky>(n, micro_, threads_, context_);
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i)
      cholesky_->column(j)[i] = static_cast<float>(root_[static_cast<std::size_t>(i)] *
                                                   root_[static_cast<std::size_t>(j)]) *
                                gram_[j * rows + i];
  if (!cholesky_->factor(shift)) return infinite;
  std::vector<double> right;
  for (index_t c = 0; c < cols; ++c)
    for (index_t i = 0; i < n; ++i)
      right.push_back(root_[static_cast<std::size_t>(i)] * data_.y(i, c));
  if (!solve(right, u_)) return infinite;
  coef_ = u_;
  double risk = 0;
  slope_.clear();
  std::vector<double> decision(static_cast<std::size_t>(validation()));
  for (index_t c = 0; c < cols; ++c) {
    double* coef = coef_.data() + c * n;
    for (index_t i = 0; i < n; ++i) coef[i] *= root_[static_cast<std::size_t>(i)];
    multiply(n, validation(), coef, decision.data());
    for (index_t j = 0; j < validation(); ++j) {
      const double r = decision[static_cast<std::size_t>(j)] - data_.y(n + j, c);
      const double share = weight(n + j) / (total_weight_ * static_cast<double>(cols));
      risk += share * r * r;
      slope_.push_back(2 * share * r);
    }
  }
  return risk;
}

// With g the slopes of the loss, B = S K S + shift I and b = B^-1 S K_v g: dR = g' dK_v' a - (S b)'
// dK a - dshift b'u.
std::vector<double> ImplicitRisk::gradient() {
  const index_t n = data_.train, rows = data_.x.rows(), cols = data_.y.cols(), m = validation();
  std::vector<double> right(u_.size()), b;
  for (index_t c = 0; c < cols; ++c)
    for (index_t i = 0; i < n; ++i) {
      const float* column = gram_.data() + i * rows + n;
      double sum = 0;
      for (index_t j = 0; j < m; ++j)
        sum += slope_[static_cast<std::size_t>(c * m + j)] * static_cast<double>(column[j]);
      right[static_cast<std::size_t>(c * n + i)] = root_[static_cast<std::size_t>(i)] * sum;
    }
  solve(right, b);
  std::vector<double> left(static_cast<std::size_t>(2 * cols * n)),
      lanes(static_cast<std::size_t>(2 * cols * rows), 0.0);
  double by_shift = 0;
  for (index_t c = 0; c < cols; ++c)
    for (index_t i = 0; i < n; ++i) {
      const std::size_t at = static_cast<std::size_t>(c * n + i);
      left[at] = coef_[at];
      left[at + static_cast<std::size_t>(cols * n)] = -root_[static_cast<std::size_t>(i)] * b[at];
      lanes[static_cast<std::size_t>((cols + c) * rows + i)] = coef_[at];
      by_shift -= b[at] * u_[at];
    }
  for (index_t c = 0; c < cols; ++c)
    std::copy_n(slope_.data() + c * m, m, lanes.data() + c * rows + n);
  std::vector<double> out = hierarchy_gradient(tiles_, 1.0, {left.data(), n, 2 * cols},
                                               {lanes.data(), rows, 2 * cols}, threads_, context_);
  out.push_back(by_shift * shift_);
  return out;
}

}  // namespace flexkern
