// The dual of one row: what its coefficient may be, and what a value of it costs (METHODS:
// Steinwart, Hush and Scovel 2011). With C = 1 / (2 lambda n) the dual of
//   min |f|^2 / 2 + C sum_i w_i L(y_i, f(x_i)),   f = sum_i b_i k(x_i, .),
// is max sum_i (b_i y_i - price_i(b_i)) - b' K b / 2 over the boxes of the b_i.
#ifndef FLEXKERN_SOLVER_DUAL_PRICE_H
#define FLEXKERN_SOLVER_DUAL_PRICE_H

#include <limits>

#include "loss.h"

namespace flexkern {

struct DualPrice {
  double low = 0, high = 0;               // the box
  double linear = 0;                      // times |b|
  double square_pos = 0, square_neg = 0;  // times b^2 / 2, by the sign of b

  double square(double b) const { return b > 0 ? square_pos : square_neg; }
  double operator()(double b) const { return linear * std::fabs(b) + square(b) * b * b / 2; }
  // The best value where the residual at the value 0 would be z and k(x, x) = 1.
  double best(double z) const {
    z = z > linear ? z - linear : z < -linear ? z + linear : 0;
    return std::min(std::max(z / (1 + square(z)), low), high);
  }
  bool at_bound(double b) const { return b == low || b == high; }
};

// For a row of this label and cost = C w; cost 0: the row does not train. Values are those of a
// kernel that is scaled to k(x, x) = 1 by dividing by scale^2.
inline DualPrice dual_price(const Loss& loss, double y, double cost, double scale) {
  DualPrice p;
  if (!(cost > 0) || !(scale > 0)) return p;
  const double bound = cost * scale;
  switch (loss.type) {
    case Loss::Type::hinge:
      (y > 0 ? p.high : p.low) = y > 0 ? bound : -bound;
      break;
    case Loss::Type::pinball:
      p.low = (loss.tau - 1) * bound;
      p.high = loss.tau * bound;
      break;
    case Loss::Type::epsilon:
      p.low = -bound;
      p.high = bound;
      p.linear = loss.epsilon / scale;
      break;
    default: {
      const double tau = loss.type == Loss::Type::expectile ? loss.tau : 1;
      const double other = loss.type == Loss::Type::expectile ? 1 - loss.tau : 1;
      p.low = -std::numeric_limits<double>::infinity();
      p.high = std::numeric_limits<double>::infinity();
      p.square_pos = 1 / (2 * cost * scale * scale * tau);
      p.square_neg = 1 / (2 * cost * scale * scale * other);
    }
  }
  return p;
}

}  // namespace flexkern

#endif
