#include "pairwise.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "node_pairs.h"

namespace flexkern {
namespace {

double squared_distance(ConstMatrixRef x, index_t i, ConstMatrixRef y, index_t j) {
  double sum = 0;
  for (index_t k = 0; k < x.cols(); ++k) {
    const double difference = x(i, k) - y(j, k);
    sum += difference * difference;
  }
  return sum;
}

double squared_distance(const SparseRow& u, const SparseRow& v) {
  double sum = 0;
  each_pair(u, v, [&](std::int32_t, double a, double b) { sum += (a - b) * (a - b); });
  return sum;
}

double squared_distance(const Points& x, index_t i, const Points& y, index_t j) {
  if (!x.is_sparse()) return squared_distance(x.dense(), i, y.dense(), j);
  return squared_distance(x.sparse().row(i), y.sparse().row(j));
}

}  // namespace

std::vector<double> own_terms(const Points& x, bool distance) {
  std::vector<double> terms(static_cast<std::size_t>(x.rows()), 0.0);
  if (!x.is_sparse()) {
    for (index_t k = 0; distance && k < x.cols(); ++k) {
      const double* v = x.dense().col(k);
      for (std::size_t i = 0; i < terms.size(); ++i) terms[i] += v[i] * v[i];
    }
    return terms;
  }
  for (index_t i = 0; i < x.rows(); ++i) {
    double& term = terms[static_cast<std::size_t>(i)];
    const SparseRow row = x.sparse().row(i);
    if (!distance) term = x.shift_term(i);
    for (index_t e = 0; distance && e < row.size; ++e) term += row.value[e] * row.value[e];
  }
  return terms;
}

PackedPoints::PackedPoints(const Points& x, bool distance, const Micro& micro)
    : x_(x), distance_(distance), width_(micro.cols_f64), own_(own_terms(x, distance)) {
  if (distance && x.hierarchy())
    leaves_ = std::make_unique<PackedLeaves>(x, micro);
  else if (x.is_sparse())
    columns_ = SparseRows::transpose(x.sparse());
  else
    groups_ = pack_points(x.dense(), width_);
}

PackedPoints::PackedPoints(PackedPoints&&) = default;
PackedPoints::~PackedPoints() = default;

PanelPairs::PanelPairs(const Points& x, const PackedPoints& others, const Micro& micro)
    : x_(x), others_(others), micro_(micro), dot_(kPanel * others.width()) {
  require(x.is_sparse() == others.points().is_sparse(), "points of two kinds meet");
  if (others.leaves())
    nodes_ = std::make_unique<NodePairs>(x, *others.leaves(), micro);
  else if (x.is_sparse())
    sparse_ = std::make_unique<SparseDots>(x.sparse(), others.columns());
  else
    panel_ = Buffer<double>(kPanel * std::max<index_t>(x.cols(), 1));
}

PanelPairs::~PanelPairs() = default;

void PanelPairs::select(index_t p) {
  begin_ = p * kPanel;
  if (nodes_) return nodes_->select(begin_, std::min(kPanel, x_.rows() - begin_));
  if (sparse_)
    sparse_->select(begin_);
  else
    pack_panel(x_.dense(), begin_, panel_.data());
  const auto own =
      own_terms(x_.middle(begin_, std::min(kPanel, x_.rows() - begin_)), others_.distance());
  std::fill(std::copy(own.begin(), own.end(), own_), own_ + kPanel, 0.0);
}

// Inner products with one group of the others.
void PanelPairs::dots(index_t first, index_t count) {
  if (sparse_) return sparse_->copy(first, count, dot_.data());
  std::fill_n(dot_.data(), dot_.size(), 0.0);
  micro_.gemm_f64(x_.cols(), panel_.data(), others_.group(first / others_.width()), dot_.data(),
                  kPanel);
}

void PanelPairs::evaluate(index_t first, index_t last, double* out) {
  if (nodes_) return nodes_->evaluate(first, last, out);
  const index_t width = others_.width();
  for (index_t j = first; j < last; j += width) {
    const index_t used = std::min(width, last - j);
    dots(j, used);
    for (index_t c = 0; c < used; ++c, out += kPanel) {
      const double* dot = dot_.data() + c * kPanel;
      if (!others_.distance())
        for (index_t r = 0; r < kPanel; ++r) out[r] = dot[r] + own_[r] + others_.own(j + c);
      else if (micro_.distance(dot, own_, others_.own(j + c), out))
        recompute(j + c, out);
    }
  }
}

// Sums of squared differences where |u|^2 + |v|^2 - 2 u'v has lost its digits; equal points get
// exactly 0.
void PanelPairs::recompute(index_t j, double* out) const {
  const index_t rows = std::min(kPanel, x_.rows() - begin_);
  for (index_t r = 0; r < rows; ++r)
    if (out[r] < kCancellation * (own_[r] + others_.own(j)))
      out[r] = squared_distance(x_, begin_ + r, others_.points(), j);
}

std::vector<double> kernel_diagonal(const Points& x, const Kernel& kernel, const Micro& micro) {
  std::vector<double> base(static_cast<std::size_t>(round_up(x.rows(), kPanel)), 0.0);
  if (!kernel.uses_distance()) {
    const std::vector<double> norms = own_terms(x, true), terms = own_terms(x, false);
    for (std::size_t i = 0; i < norms.size(); ++i) base[i] = norms[i] + 2 * terms[i];
  }
  apply_kernel(kernel, micro, static_cast<index_t>(base.size()), base.data(), base.data());
  return base;
}

namespace {

double power(double base, int exponent) {
  double result = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2) result *= base;
  return result;
}

template <typename T>
void apply_polynomial(const Kernel& kernel, index_t n, const T* base, T* values) {
  for (index_t i = 0; i < n; ++i)
    values[i] = static_cast<T>(power(kernel.gamma * base[i] + kernel.coef0, kernel.degree));
}

// Values that are still in the first-level cache when the constant is added.
constexpr index_t kChunk = 2048;

void exponential(const Kernel& kernel, const Micro& micro, index_t n, const float* base,
                 float* values) {
  micro.exp_f32(n, static_cast<float>(-kernel.gamma), base, values);
}

void exponential(const Kernel& kernel, const Micro& micro, index_t n, const double* base,
                 double* values) {
  micro.exp_f64(n, -kernel.gamma, base, values);
}

template <typename T>
void apply(const Kernel& kernel, const Micro& micro, index_t n, const T* base, T* values) {
  const T constant = static_cast<T>(kernel.constant());
  for (index_t i = 0; i < n; i += kChunk) {
    const index_t count = std::min(kChunk, n - i);
    if (kernel.type == Kernel::Type::radial)
      exponential(kernel, micro, count, base + i, values + i);
    else if (kernel.type == Kernel::Type::polynomial)
      apply_polynomial(kernel, count, base + i, values + i);
    else if (base != values)
      std::copy_n(base + i, count, values + i);
    if (constant == 0) continue;
    for (index_t k = i; k < i + count; ++k) values[k] += constant;
  }
}

}  // namespace

void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const float* base,
                  float* values) {
  apply(kernel, micro, n, base, values);
}

void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const double* base,
                  double* values) {
  apply(kernel, micro, n, base, values);
}

}  // namespace flexkern
