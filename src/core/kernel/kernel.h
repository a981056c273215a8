// The kernels of the package, as functions of a pairwise base quantity: the squared distance for
// the radial kernel, the inner product for the others.
#ifndef FLEXKERN_KERNEL_KERNEL_H
#define FLEXKERN_KERNEL_KERNEL_H

#include <cmath>
#include <string>

#include "core/base/error.h"

namespace flexkern {

struct Kernel {
  enum class Type { radial, polynomial, linear };
  Type type = Type::radial;
  double gamma = 1;  // exp(-gamma |u - v|^2), (gamma u'v + coef0)^degree
  int degree = 3;
  double coef0 = 0;
  double offset = 0;  // what makes a constant of the functions; of a polynomial, at gamma = 1

  bool uses_distance() const { return type == Type::radial; }
  // Added to every value. A polynomial's grows with gamma as the polynomial does.
  double constant() const {
    return type == Type::polynomial && offset > 0 ? offset * std::pow(gamma, degree) : offset;
  }
  Kernel with_gamma(double value) const {
    Kernel k = *this;
    k.gamma = value;
    return k;
  }
};

inline Kernel::Type kernel_type(const std::string& name) {
  if (name == "radial") return Kernel::Type::radial;
  if (name == "polynomial") return Kernel::Type::polynomial;
  if (name == "linear") return Kernel::Type::linear;
  throw Error("unknown kernel '" + name + "'");
}

}  // namespace flexkern

#endif
