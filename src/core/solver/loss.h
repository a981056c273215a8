// The losses of the package, as functions of a label and a decision value.
#ifndef FLEXKERN_SOLVER_LOSS_H
#define FLEXKERN_SOLVER_LOSS_H

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"

namespace flexkern {

struct Loss {
  enum class Type { least_squares, hinge, pinball, expectile, epsilon };
  Type type = Type::least_squares;
  double tau = 0.5;      // pinball, expectile
  double epsilon = 0.1;  // epsilon: half the width of the tube
  bool has_level() const { return type == Type::pinball || type == Type::expectile; }

  // With the labels -1 and 1 for the hinge.
  double operator()(double y, double t) const {
    const double r = y - t;
    switch (type) {
      case Type::hinge:
        return std::max(0.0, 1 - y * t);
      case Type::pinball:
        return r > 0 ? tau * r : (tau - 1) * r;
      case Type::expectile:
        return (r > 0 ? tau : 1 - tau) * r * r;
      case Type::epsilon:
        return std::max(0.0, std::fabs(r) - epsilon);
      default:
        return r * r;
    }
  }

  // The derivative with respect to t, or one of its limits where there is none.
  double slope(double y, double t) const {
    const double r = y - t;
    switch (type) {
      case Type::hinge:
        return y * t < 1 ? -y : 0;
      case Type::pinball:
        return r > 0 ? -tau : 1 - tau;
      case Type::expectile:
        return -2 * (r > 0 ? tau : 1 - tau) * r;
      case Type::epsilon:
        return r > epsilon ? -1 : r < -epsilon ? 1 : 0;
      default:
        return -2 * r;
    }
  }
};

inline Loss::Type loss_type(const std::string& name) {
  if (name == "least.squares") return Loss::Type::least_squares;
  if (name == "hinge") return Loss::Type::hinge;
  if (name == "pinball") return Loss::Type::pinball;
  if (name == "expectile") return Loss::Type::expectile;
  if (name == "epsilon") return Loss::Type::epsilon;
  throw Error("unknown loss '" + name + "'");
}

}  // namespace flexkern

#endif
