#include "pairwise.h"

#include <cmath>

namespace flexkern {

std::vector<double> PackedPoints::squared_norms(ConstMatrixRef x) {
  std::vector<double> norms(static_cast<std::size_t>(x.rows()), 0.0);
  for (index_t k = 0; k < x.cols(); ++k)
    for (index_t i = 0; i < x.rows(); ++i) norms[static_cast<std::size_t>(i)] += x(i, k) * x(i, k);
  return norms;
}

PanelPairs::PanelPairs(ConstMatrixRef x, const PackedPoints& others, bool distance,
                       const Micro& micro)
    : x_(x),
      others_(others),
      distance_(distance),
      micro_(micro),
      panel_(kPanel * std::max<index_t>(x.cols(), 1)),
      dot_(kPanel * others.width()) {}

void PanelPairs::select(index_t p) {
  begin_ = p * kPanel;
  pack_panel(x_, begin_, panel_.data());
  std::fill(norms_, norms_ + kPanel, 0.0);
  for (index_t k = 0; k < x_.cols(); ++k)
    for (index_t r = 0; r < kPanel; ++r)
      norms_[r] += panel_[k * kPanel + r] * panel_[k * kPanel + r];
}

void PanelPairs::evaluate(index_t first, index_t last, double* out) {
  const index_t width = others_.width();
  for (index_t j = first; j < last; j += width) {
    std::fill_n(dot_.data(), kPanel * width, 0.0);
    micro_.gemm_f64(x_.cols(), panel_.data(), others_.group(j / width), dot_.data(), kPanel);
    const index_t used = std::min(width, last - j);
    for (index_t c = 0; c < used; ++c, out += kPanel) {
      const double* dot = dot_.data() + c * kPanel;
      if (!distance_)
        std::copy_n(dot, kPanel, out);
      else if (micro_.distance(dot, norms_, others_.norm(j + c), out))
        recompute(j + c, out);
    }
  }
}

// Sums of squared differences where |u|^2 + |v|^2 - 2 u'v has lost its digits; equal points get
// exactly 0.
void PanelPairs::recompute(index_t j, double* out) const {
  const ConstMatrixRef others = others_.points();
  const index_t rows = std::min(kPanel, x_.rows() - begin_);
  for (index_t r = 0; r < rows; ++r) {
    if (out[r] >= kCancellation * (norms_[r] + others_.norm(j))) continue;
    double sum = 0;
    for (index_t k = 0; k < x_.cols(); ++k) {
      const double difference = x_(begin_ + r, k) - others(j, k);
      sum += difference * difference;
    }
    out[r] = sum;
  }
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

}  // namespace

void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const float* base,
                  float* values) {
  if (kernel.type == Kernel::Type::radial)
    micro.exp_f32(n, static_cast<float>(-kernel.gamma), base, values);
  else if (kernel.type == Kernel::Type::polynomial)
    apply_polynomial(kernel, n, base, values);
  else if (base != values)
    std::copy_n(base, n, values);
}

void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const double* base,
                  double* values) {
  if (kernel.type == Kernel::Type::radial)
    micro.exp_f64(n, -kernel.gamma, base, values);
  else if (kernel.type == Kernel::Type::polynomial)
    apply_polynomial(kernel, n, base, values);
  else if (base != values)
    std::copy_n(base, n, values);
}

}  // namespace flexkern
