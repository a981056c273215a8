// What R would need long vectors for: passes over the slots of a dgCMatrix.
#include <Rcpp.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace {

bool falls(const int* first, const int* last) {
  return std::adjacent_find(first, last, std::greater_equal<int>()) != last;
}

}  // namespace

// Whether the row numbers rise within each column, so that none is there twice.
// [[Rcpp::export(rng = false)]]
bool fk_rows_rise(Rcpp::IntegerVector p, Rcpp::IntegerVector i) {
  for (R_xlen_t column = 1; column < p.size(); ++column)
    if (falls(i.begin() + p[column - 1], i.begin() + p[column])) return false;
  return true;
}

// The numbers of the columns that hold entries, counted from 1.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector fk_filled_columns(Rcpp::IntegerVector p) {
  std::vector<int> filled;
  for (R_xlen_t column = 1; column < p.size(); ++column)
    if (p[column] > p[column - 1]) filled.push_back(static_cast<int>(column));
  return Rcpp::wrap(filled);
}
