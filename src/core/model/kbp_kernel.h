// A kernel of the dictionary of kernel basis pursuit, at one center or at panels of them.
#ifndef FLEXKERN_MODEL_KBP_KERNEL_H
#define FLEXKERN_MODEL_KBP_KERNEL_H

#include <string>

#include "core/device/cpu/micro.h"
#include "core/kernel/kernel.h"

namespace flexkern {

struct SourceKernel {
  Kernel kernel;
  // The distance instead of its square: the radial form is then Laplace's kernel.
  bool root = false;

  // values = kernel(base), n a multiple of 16; in and out may be the same.
  void apply(const Micro& micro, index_t n, const double* base, double* values) const;
  // The kernel between all rows of x and one center (one value for each column of x).
  void column(ConstMatrixRef x, const double* center, const Micro& micro, double* out) const;
};

// "radial", "laplace", "polynomial" or "linear".
SourceKernel source_kernel(const std::string& name, double gamma, int degree, double coef0);

}  // namespace flexkern

#endif
