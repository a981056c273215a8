#include <Rcpp.h>

#include <string>
#include <vector>

#include "core/model/class_distance.h"
#include "r_context.h"
#include "r_data.h"

namespace {

using namespace flexkern;
using Rcpp::Named;

// Columns: the squared distance, and the two rows counted from 1 (NA for none).
Rcpp::NumericMatrix as_matrix(const std::vector<RowPair>& pairs) {
  Rcpp::NumericMatrix out(static_cast<int>(pairs.size()), 3);
  for (int i = 0; i < out.nrow(); ++i) {
    const RowPair& pair = pairs[static_cast<std::size_t>(i)];
    const bool none = pair.first < 0 || pair.second < 0;
    out(i, 0) = none ? NA_REAL : pair.distance;
    out(i, 1) = none ? NA_REAL : pair.first + 1;
    out(i, 2) = none ? NA_REAL : pair.second + 1;
  }
  return out;
}

}  // namespace

// What is "diameter", "nearest", "closest" or "mean".
// [[Rcpp::export(rng = false)]]
Rcpp::List fk_class_distance(Rcpp::NumericMatrix x, Rcpp::IntegerVector label,
                             std::vector<std::string> what, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const Micro& micro = find_micro(option<std::string>(options, "isa", "auto"));
  const bool positive = option(options, "positive", false);
  const ClassBlocks blocks(view(x), zero_based(label), micro, context);
  Rcpp::List out;
  for (const std::string& name : what) {
    if (name == "diameter") out[name] = as_matrix(diameters(blocks, context));
    if (name == "nearest") out[name] = as_matrix(nearest_other(blocks, positive, context));
    if (name == "closest") out[name] = as_matrix(closest_pairs(blocks, positive, context));
    if (name == "mean") out[name] = mean_distances(blocks, context);
  }
  return out;
}
