#include "points.h"

#include <algorithm>

namespace flexkern {

Points::Points(SparseRef sparse, const double* shift)
    : is_sparse_(true), sparse_(sparse), shift_(shift) {
  for (index_t k = 0; shift && k < sparse.cols; ++k) half_ += shift[k] * shift[k] / 2;
}

double Points::shift_term(index_t i) const {
  if (!shift_) return 0;
  const SparseRow row = sparse_.row(i);
  double term = half_;
  for (index_t e = 0; e < row.size; ++e) term -= shift_[row.column[e]] * row.value[e];
  return term;
}

Points Points::with(const SparseRef& rows) const {
  Points out = *this;
  out.sparse_ = rows;
  return out;
}

Points Points::with(ConstMatrixRef rows) const {
  Points out = *this;
  out.dense_ = rows;
  return out;
}

Points Points::under(const Hierarchy* hierarchy) const {
  Points out = *this;
  out.hierarchy_ = hierarchy;
  return out;
}

Points Points::middle(index_t first, index_t count) const {
  if (!is_sparse_)
    return with(ConstMatrixRef(dense_.data() + first, count, dense_.cols(), dense_.stride()));
  SparseRef part = sparse_;
  part.start += first;
  part.rows = count;
  return with(part);
}

double Points::bytes() const {
  if (!is_sparse_)
    return static_cast<double>(rows()) * static_cast<double>(cols()) * sizeof(double);
  return static_cast<double>(sparse_.entries()) * (sizeof(double) + sizeof(std::int32_t)) +
         static_cast<double>(std::max(rows(), cols()) + 1) * sizeof(index_t);
}

SparseRows::SparseRows(const SparseRef& x, const std::vector<index_t>& rows) : cols_(x.cols) {
  start_.reserve(rows.size() + 1);
  for (index_t i : rows) start_.push_back(start_.back() + x.row(i).size);
  column_.reserve(static_cast<std::size_t>(start_.back()));
  value_.reserve(column_.capacity());
  for (index_t i : rows) {
    const SparseRow row = x.row(i);
    column_.insert(column_.end(), row.column, row.column + row.size);
    value_.insert(value_.end(), row.value, row.value + row.size);
  }
}

SparseRows SparseRows::transpose(const SparseRef& x) {
  SparseRows out;
  out.cols_ = x.rows;
  out.column_.resize(static_cast<std::size_t>(x.entries()));
  out.value_.resize(out.column_.size());
  // start[k + 1] is first the place of the next entry of row k, and where row k ends at last.
  std::vector<index_t>& start = out.start_;
  start.assign(static_cast<std::size_t>(x.cols) + 2, 0);
  const auto each_entry = [&](auto visit) {
    for (index_t i = 0; i < x.rows; ++i)
      for (index_t e = x.start[i]; e < x.start[i + 1]; ++e)
        visit(i, static_cast<std::size_t>(x.column[e]), x.value[e]);
  };
  each_entry([&](index_t, std::size_t k, double) { ++start[k + 2]; });
  for (std::size_t k = 2; k < start.size(); ++k) start[k] += start[k - 1];
  each_entry([&](index_t i, std::size_t k, double value) {
    const std::size_t to = static_cast<std::size_t>(start[k + 1]++);
    out.column_[to] = static_cast<std::int32_t>(i);
    out.value_[to] = value;
  });
  start.pop_back();
  return out;
}

ChosenPoints::ChosenPoints(const Points& x, const std::vector<index_t>& rows)
    : like_(x), rows_(static_cast<index_t>(rows.size())) {
  if (x.is_sparse()) {
    sparse_ = SparseRows(x.sparse(), rows);
    return;
  }
  dense_.reserve(rows.size() * static_cast<std::size_t>(x.cols()));
  for (index_t k = 0; k < x.cols(); ++k)
    for (index_t i : rows) dense_.push_back(x.dense()(i, k));
}

Points ChosenPoints::points() const {
  if (like_.is_sparse()) return like_.with(sparse_.ref());
  return like_.with(ConstMatrixRef(dense_.data(), rows_, like_.cols()));
}

}  // namespace flexkern
