// The points that everything is computed from: rows of a dense matrix or of a sparse one. Only what
// touches single values asks which; all other code hands Points on.
#ifndef FLEXKERN_BASE_POINTS_H
#define FLEXKERN_BASE_POINTS_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hierarchy.h"
#include "view.h"

namespace flexkern {

// The stored entries of one row, columns rising.
struct SparseRow {
  const std::int32_t* column;
  const double* value;
  index_t size;
};

// Calls visit(column, a, b) for each column that has an entry in one of the rows, columns rising.
template <typename Visit>
void each_pair(const SparseRow& u, const SparseRow& v, Visit visit) {
  index_t i = 0, j = 0;
  while (i < u.size && j < v.size) {
    const std::int32_t a = u.column[i], b = v.column[j];
    visit(std::min(a, b), a <= b ? u.value[i] : 0.0, b <= a ? v.value[j] : 0.0);
    i += a <= b;
    j += b <= a;
  }
  for (; i < u.size; ++i) visit(u.column[i], u.value[i], 0.0);
  for (; j < v.size; ++j) visit(v.column[j], 0.0, v.value[j]);
}

// Rows whose entries follow each other: those of row i are start[i] .. start[i + 1] - 1.
struct SparseRef {
  const index_t* start = nullptr;
  const std::int32_t* column = nullptr;
  const double* value = nullptr;
  index_t rows = 0, cols = 0;

  SparseRow row(index_t i) const {
    return {column + start[i], value + start[i], start[i + 1] - start[i]};
  }
  index_t entries() const { return rows > 0 ? start[rows] - start[0] : 0; }
};

class Points {
 public:
  Points() = default;
  Points(ConstMatrixRef dense) : dense_(dense) {}
  // Inner products are those of the points less `shift` (one value a column), where it is given;
  // distances do not depend on it.
  Points(SparseRef sparse, const double* shift = nullptr);

  bool is_sparse() const { return is_sparse_; }
  const ConstMatrixRef& dense() const { return dense_; }
  const SparseRef& sparse() const { return sparse_; }
  index_t rows() const { return is_sparse_ ? sparse_.rows : dense_.rows(); }
  index_t cols() const { return is_sparse_ ? sparse_.cols : dense_.cols(); }
  // With the shift b, (u - b)'(v - b) = u'v + term(u) + term(v), where term(u) = |b|^2 / 2 - b'u.
  double shift_term(index_t i) const;
  bool is_shifted() const { return shift_ != nullptr; }
  // Other sparse rows with the shift of these.
  Points with(const SparseRef& rows) const;
  // Rows first .. first + count - 1.
  Points middle(index_t first, index_t count) const;
  // These points, whose squared distances are from here on those of the kernel's top node.
  Points under(const Hierarchy* hierarchy) const;
  const Hierarchy* hierarchy() const { return hierarchy_; }
  // Other dense rows with the hierarchy of these.
  Points with(ConstMatrixRef rows) const;
  // Bytes of a copy of these points, by rows or by columns.
  double bytes() const;

 private:
  bool is_sparse_ = false;
  ConstMatrixRef dense_;
  SparseRef sparse_;
  const double* shift_ = nullptr;
  const Hierarchy* hierarchy_ = nullptr;
  double half_ = 0;  // |b|^2 / 2
};

// Sparse rows with storage of their own.
class SparseRows {
 public:
  SparseRows() = default;
  // The given rows of x, in this order.
  SparseRows(const SparseRef& x, const std::vector<index_t>& rows);
  // The columns of x become rows.
  static SparseRows transpose(const SparseRef& x);

  SparseRef ref() const {
    return {start_.data(), column_.data(), value_.data(), static_cast<index_t>(start_.size()) - 1,
            cols_};
  }

 private:
  std::vector<index_t> start_ = {0};
  std::vector<std::int32_t> column_;
  std::vector<double> value_;
  index_t cols_ = 0;
};

// The given rows of some points, with storage of their own but for the shift.
class ChosenPoints {
 public:
  ChosenPoints(const Points& x, const std::vector<index_t>& rows);
  Points points() const;

 private:
  Points like_;
  index_t rows_;
  std::vector<double> dense_;
  SparseRows sparse_;
};

}  // namespace flexkern

#endif
