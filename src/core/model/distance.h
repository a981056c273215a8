// Rows for distance loops, and the squared distance between two of them. Sums of squared
// differences make equal rows exactly 0 apart, which the expansion by inner products does not.
#ifndef FLEXKERN_MODEL_DISTANCE_H
#define FLEXKERN_MODEL_DISTANCE_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/base/context.h"
#include "core/base/points.h"

namespace flexkern {

// Columns that a loop over dense rows takes at a time.
constexpr index_t kUnroll = 16;

// One row: `size` values, padded with zeros to whole vectors, or the entries of a sparse row.
struct Row {
  const double* value;
  index_t size;
  const std::int32_t* column = nullptr;
  index_t tail = -1;  // the first column after the last whole block; -1: a dense row
  bool is_sparse() const { return tail >= 0; }
};

// Row-major copy of dense points, padded; sparse ones are kept by reference.
class PackedRows {
 public:
  PackedRows(const Points& x, Context& context) : PackedRows(x, context.threads, context) {}
  PackedRows(const Points& x, int threads, Context& context);
  // The given rows of another one, with storage of their own.
  PackedRows(const PackedRows& all, const std::vector<std::int32_t>& rows);

  Row row(index_t i) const {
    if (!is_sparse_) return {data_.data() + i * width_, width_};
    const SparseRow row = sparse_.row(i);
    return {row.value, row.size, row.column, tail()};
  }
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  bool is_sparse() const { return is_sparse_; }
  const SparseRef& sparse() const { return sparse_; }
  index_t tail() const { return is_sparse_ ? width_ / kUnroll * kUnroll : -1; }
  index_t width() const { return width_; }

  // What packing x takes: nothing for sparse points.
  static double bytes(const Points& x) {
    if (x.is_sparse()) return 0;
    return static_cast<double>(x.rows()) * (static_cast<double>(x.cols()) + kPad) * sizeof(double);
  }

 private:
  static constexpr index_t kPad = 4;
  void pack(ConstMatrixRef x, index_t first, index_t count);
  index_t rows_ = 0, cols_ = 0, width_ = 0;
  bool is_sparse_ = false;
  Buffer<double> data_;
  SparseRef sparse_;
  SparseRows own_;
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

// Squared distance of two dense rows. Once it is certain to exceed `limit` any value above may come
// back. The result depends on the two rows alone, not on their order.
inline double dense_distance(const double* a, const double* b, index_t width, double limit) {
  FourSums even, odd;
  index_t k = 0;
  while (k + kUnroll <= width) {
    even.add_squares(a + k, b + k);
    odd.add_squares(a + k + 4, b + k + 4);
    even.add_squares(a + k + 8, b + k + 8);
    odd.add_squares(a + k + 12, b + k + 12);
    k += kUnroll;
    const double so_far = even.total() + odd.total();
    if (so_far > limit) return so_far;
  }
  for (; k < width; k += 4) even.add_squares(a + k, b + k);
  return even.total() + odd.total();
}

// The same sums over the columns that have an entry, so the same bits as for dense rows.
inline double sparse_distance(const Row& a, const Row& b) {
  double even[4] = {}, odd[4] = {};
  const index_t tail = a.tail;
  each_pair({a.column, a.value, a.size}, {b.column, b.value, b.size},
            [&](std::int32_t k, double u, double v) {
              (k < tail && (k & 4) ? odd : even)[k & 3] += (u - v) * (u - v);
            });
  return ((even[0] + even[2]) + (even[1] + even[3])) + ((odd[0] + odd[2]) + (odd[1] + odd[3]));
}

// To 32 binary digits: what differs by the rounding of sums is equal.
inline double rounded(double x) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 20;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  bits = (bits + kHalf) & ~(2 * kHalf - 1);
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// A relative margin above the rounding of squared distances: with it, a bound by the triangle
// inequality rules out a point only when the computed distances would have done so too.
constexpr double kPruneMargin = 1 + 1e-8;

// Squared distance of two rows of one kind; above `limit` any value above it may come back.
inline double exact_distance(const Row& a, const Row& b, double limit) {
  return a.is_sparse() ? sparse_distance(a, b) : dense_distance(a.value, b.value, a.size, limit);
}

// The same for comparisons: ties do not depend on the order and the unit of the columns.
inline double squared_distance(const Row& a, const Row& b, double limit) {
  return rounded(exact_distance(a, b, limit * kPruneMargin));
}

// The mean of some rows, and how far rows are from it.
class RowMean {
 public:
  explicit RowMean(const PackedRows& rows) : sum_(static_cast<std::size_t>(rows.width()), 0.0) {}
  void add(const Row& row, double count);  // one of so many
  double squared_distance(const Row& row, double limit);
  void clear();

 private:
  double norm();
  std::vector<double> sum_;
  double norm_ = -1;                   // its squared norm, once that is known
  std::vector<std::int32_t> columns_;  // of the entries of sparse rows
};

// Sparse rows by columns, so that distances to all of them take little more than the entries that
// they share with a row. These distances are rounded like |u|^2 + |v|^2 - 2 u'v.
class RowsByColumn {
 public:
  RowsByColumn() = default;
  explicit RowsByColumn(const PackedRows& rows);
  std::vector<double> squared_distances(const Row& x) const;
  // A bound on the rounding of the distance of x, whose squared norm is given, to row j.
  double doubt(double norm, std::size_t j) const { return 1e-11 * (norm + norms_[j]); }

 private:
  SparseRows columns_;
  std::vector<double> norms_;
};

double squared_norm(const Row& x);

// Whether a point at squared distance `own` from its centre may be nearer to a centre at squared
// distance `between` from that one.
inline bool may_be_nearer(double between, double own) { return between < 4 * own * kPruneMargin; }

}  // namespace flexkern

#endif
