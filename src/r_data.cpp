#include "r_data.h"

namespace flexkern {

namespace {

// The columns of a dgCMatrix, whose slots are those of compressed columns.
SparseRows rows_of(const Rcpp::S4& x) {
  const Rcpp::IntegerVector start = x.slot("p"), row = x.slot("i"), size = x.slot("Dim");
  const Rcpp::NumericVector value = x.slot("x");
  const std::vector<index_t> wide(start.begin(), start.end());
  return SparseRows::transpose({wide.data(), row.begin(), value.begin(), size[1], size[0]});
}

}  // namespace

RPoints::RPoints(SEXP x, SEXP shift) : is_sparse_(Rf_isS4(x)) {
  if (!is_sparse_) {
    dense_ = Rcpp::NumericMatrix(x);
    return;
  }
  rows_ = rows_of(x);
  if (!Rf_isNull(shift)) shift_ = Rcpp::as<std::vector<double>>(shift);
}

Points RPoints::points() const {
  if (!is_sparse_) return view(dense_);
  return {rows_.ref(), shift_.empty() ? nullptr : shift_.data()};
}

Hierarchy read_hierarchy(const Rcpp::List& nodes) {
  const Rcpp::LogicalVector leaf = nodes["leaf"];
  const Rcpp::List parts = nodes["parts"], weights = nodes["weights"];
  Hierarchy out;
  for (R_xlen_t k = 0; k < leaf.size(); ++k) {
    HierarchyNode node;
    node.leaf = leaf[k];
    for (const std::int32_t part : zero_based(Rcpp::IntegerVector(parts[k])))
      node.parts.push_back(part);
    node.weights = Rcpp::as<std::vector<double>>(weights[k]);
    out.nodes.push_back(std::move(node));
  }
  return out;
}

}  // namespace flexkern
