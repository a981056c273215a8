#include "grid.h"

namespace flexkern {
namespace {

index_t varying_columns(const SparseRef& x) {
  const std::size_t columns = static_cast<std::size_t>(x.cols);
  std::vector<double> first(columns, 0.0);
  std::vector<index_t> same(columns, 0);  // rows that have the column's first value
  std::vector<char> varies(columns, 0);
  for (index_t i = 0; i < x.rows; ++i) {
    const SparseRow row = x.row(i);
    for (index_t e = 0; e < row.size; ++e) {
      const std::size_t k = static_cast<std::size_t>(row.column[e]);
      if (same[k] == 0) first[k] = row.value[e];
      if (row.value[e] == first[k])
        ++same[k];
      else
        varies[k] = 1;
    }
  }
  index_t varying = 0;
  for (std::size_t k = 0; k < columns; ++k)
    varying += varies[k] || (first[k] != 0 && same[k] < x.rows);
  return varying;
}

}  // namespace

index_t varying_columns(const Points& points) {
  if (points.is_sparse()) return varying_columns(points.sparse());
  const ConstMatrixRef& x = points.dense();
  index_t varying = 0;
  for (index_t k = 0; k < x.cols(); ++k) {
    const double* v = x.col(k);
    varying += std::any_of(v, v + x.rows(), [v](double value) { return value != v[0]; });
  }
  return varying;
}

}  // namespace flexkern
