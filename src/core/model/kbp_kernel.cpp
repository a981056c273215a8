#include "kbp_kernel.h"

#include <algorithm>
#include <cmath>

#include "core/device/cpu/pairwise.h"

namespace flexkern {

void SourceKernel::apply(const Micro& micro, index_t n, const double* base, double* values) const {
  if (root) {
    for (index_t i = 0; i < n; ++i) values[i] = std::sqrt(base[i]);
    base = values;
  }
  apply_kernel(kernel, micro, n, base, values);
}

void SourceKernel::column(ConstMatrixRef x, const double* center, const Micro& micro,
                          double* out) const {
  const index_t n = x.rows(), padded = round_up(n, kPanel);
  Buffer<double> base(std::max(padded, kPanel));
  std::fill_n(base.data(), padded, 0.0);
  for (index_t k = 0; k < x.cols(); ++k) {
    const double *v = x.col(k), c = center[k];
    if (kernel.uses_distance())
      for (index_t i = 0; i < n; ++i) base[i] += (v[i] - c) * (v[i] - c);
    else
      for (index_t i = 0; i < n; ++i) base[i] += v[i] * c;
  }
  apply(micro, padded, base.data(), base.data());
  std::copy_n(base.data(), n, out);
}

SourceKernel source_kernel(const std::string& name, double gamma, int degree, double coef0) {
  SourceKernel out;
  out.root = name == "laplace";
  out.kernel = {out.root ? Kernel::Type::radial : kernel_type(name), gamma, degree, coef0};
  return out;
}

}  // namespace flexkern
