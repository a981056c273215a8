// Rows packed one after another for distance loops, and the squared distance between two of them.
// Sums of squared differences make equal rows exactly 0 apart, which the expansion by inner
// products does not.
#ifndef FLEXKERN_MODEL_DISTANCE_H
#define FLEXKERN_MODEL_DISTANCE_H

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "core/base/view.h"

namespace flexkern {

// Row-major copy of a column-major matrix; rows are padded with zeros to whole vectors.
class PackedRows {
 public:
  PackedRows(index_t rows, index_t cols)
      : rows_(rows), width_((cols + kPad - 1) / kPad * kPad), data_(rows * width_) {}
  PackedRows(ConstMatrixRef x, Context& context);
  // The given rows of another one.
  PackedRows(const PackedRows& all, const std::vector<std::int32_t>& rows);

  // Copies rows first, first + 1, ... of x to the rows 0 .. count - 1 of this.
  void pack(ConstMatrixRef x, index_t first, index_t count) { pack(x, first, count, 0); }

  const double* row(index_t i) const { return data_.data() + i * width_; }
  double* row(index_t i) { return data_.data() + i * width_; }
  index_t rows() const { return rows_; }
  index_t width() const { return width_; }

  static double bytes(index_t rows, index_t cols) {
    return static_cast<double>(rows) * (static_cast<double>(cols) + kPad) * sizeof(double);
  }

 private:
  static constexpr index_t kPad = 4;
  void pack(ConstMatrixRef x, index_t first, index_t count, index_t to);
  index_t rows_ = 0, width_ = 0;
  Buffer<double> data_;
};

// Four running sums: a loop of constant length over them is what compilers turn into vector code at
// -O2.
struct FourSums {
  double at[4] = {};
  void add_squares(const double* a, const double* b) {
    for (int l = 0; l < 4; ++l) {
      const double t = a[l] - b[l];
      at[l] += t * t;
    }
  }
  double total() const { return (at[0] + at[2]) + (at[1] + at[3]); }
};

// Squared distance of two packed rows. Once it is certain to exceed `limit` any value above may
// come back. The result depends on the two rows alone, not on their order.
inline double squared_distance(const double* a, const double* b, index_t width, double limit) {
  FourSums even, odd;
  index_t k = 0;
  while (k + 16 <= width) {
    even.add_squares(a + k, b + k);
    odd.add_squares(a + k + 4, b + k + 4);
    even.add_squares(a + k + 8, b + k + 8);
    odd.add_squares(a + k + 12, b + k + 12);
    k += 16;
    const double so_far = even.total() + odd.total();
    if (so_far > limit) return so_far;
  }
  for (; k < width; k += 4) even.add_squares(a + k, b + k);
  return even.total() + odd.total();
}

// A relative margin above the rounding of squared distances: with it, a bound by the triangle
// inequality rules out a point only when the computed distances would have done so too.
constexpr double kPruneMargin = 1 + 1e-8;

// Whether a point at squared distance `own` from its centre may be nearer to a centre at squared
// distance `between` from that one.
inline bool may_be_nearer(double between, double own) { return between < 4 * own * kPruneMargin; }

}  // namespace flexkern

#endif
