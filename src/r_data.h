// Views on R's matrices without copying them, and values out of a named list of options.
#ifndef FLEXKERN_R_DATA_H
#define FLEXKERN_R_DATA_H

#include <Rcpp.h>

#include <cstdint>
#include <vector>

#include "core/base/points.h"

namespace flexkern {

inline ConstMatrixRef view(const Rcpp::NumericMatrix& m) {
  return ConstMatrixRef(REAL(m), m.nrow(), m.ncol());
}

inline MatrixRef mutable_view(Rcpp::NumericMatrix& m) {
  return MatrixRef(REAL(m), m.nrow(), m.ncol());
}

// Points that R holds as a numeric matrix or as a dgCMatrix; only the latter can have a shift.
class RPoints {
 public:
  explicit RPoints(SEXP x, SEXP shift = R_NilValue);
  Points points() const;

 private:
  bool is_sparse_;
  Rcpp::NumericMatrix dense_;
  SparseRows rows_;
  std::vector<double> shift_;
};

// An option that is absent or NULL counts as not given.
inline bool has_option(const Rcpp::List& options, const char* name) {
  return options.containsElementNamed(name) && !Rf_isNull(options[name]);
}

template <typename T>
T option(const Rcpp::List& options, const char* name, const T& fallback) {
  return has_option(options, name) ? Rcpp::as<T>(options[name]) : fallback;
}

template <typename T>
T option(const Rcpp::List& options, const char* name) {
  if (!has_option(options, name)) Rcpp::stop("Internal error: the option `%s` is missing.", name);
  return Rcpp::as<T>(options[name]);
}

// The nodes of a hierarchical kernel: a list with `leaf` (logical), `parts` and `weights` (lists).
Hierarchy read_hierarchy(const Rcpp::List& nodes);

// Index vectors: from 0 in the core, from 1 in R.
inline Rcpp::IntegerVector one_based(const std::vector<std::int32_t>& v) {
  Rcpp::IntegerVector out(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) out[i] = v[i] + 1;
  return out;
}

inline std::vector<std::int32_t> zero_based(const Rcpp::IntegerVector& v) {
  std::vector<std::int32_t> out(v.size());
  for (R_xlen_t i = 0; i < v.size(); ++i) out[i] = v[i] - 1;
  return out;
}

}  // namespace flexkern

#endif
