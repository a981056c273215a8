#include <Rcpp.h>

#include <string>

#include "core/model/assign.h"
#include "core/model/folds.h"
#include "core/model/partition.h"
#include "r_context.h"
#include "r_data.h"

namespace {

flexkern::PartitionType partition_type(const std::string& name) {
  using flexkern::PartitionType;
  if (name == "voronoi") return PartitionType::kVoronoi;
  if (name == "bounded") return PartitionType::kBounded;
  if (name == "random") return PartitionType::kRandom;
  if (name == "none") return PartitionType::kNone;
  Rcpp::stop("Internal error: there is no partition of type \"%s\".", name);
}

flexkern::PartitionOptions partition_options(const Rcpp::List& options) {
  using flexkern::option;
  flexkern::PartitionOptions out;
  out.type = partition_type(option<std::string>(options, "type"));
  out.radius = option(options, "radius", out.radius);
  if (flexkern::has_option(options, "cells")) out.cells = option<int>(options, "cells");
  out.first = option<int>(options, "first", 0) - 1;
  out.max_cell = option<int>(options, "max_cell", 2000);
  out.min_cell = option<int>(options, "min_cell", 1);
  out.overlap = option(options, "overlap", 0.0);
  return out;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_partition(Rcpp::RObject x, Rcpp::List options) {
  using Rcpp::Named;
  flexkern::Context context;
  flexkern::fill_context(context, options);
  const flexkern::RPoints points(x);
  const flexkern::Partition partition =
      flexkern::make_partition(points.points(), partition_options(options), context);
  Rcpp::List margins(partition.margin.size());
  for (std::size_t c = 0; c < partition.margin.size(); ++c)
    margins[c] = flexkern::one_based(partition.margin[c]);
  return Rcpp::List::create(
      Named("cell") = flexkern::one_based(partition.cell),
      Named("centers") = flexkern::one_based(partition.centers),
      Named("cell_of_center") = flexkern::one_based(partition.cell_of_center),
      Named("radius") = partition.centers.empty() ? NA_REAL : partition.radius,
      Named("margin") = margins);
}

// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector fk_assign(Rcpp::RObject x, Rcpp::RObject centers, int threads) {
  flexkern::Context context;
  flexkern::fill_context(context, Rcpp::List::create(Rcpp::Named("threads") = threads));
  const flexkern::RPoints rows(x), to(centers);
  return flexkern::one_based(flexkern::assign(rows.points(), to.points(), context));
}

// Stratified folds, counted from 1.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector fk_folds(Rcpp::IntegerVector strata, int folds, double seed) {
  return flexkern::one_based(
      flexkern::fold_assignment(Rcpp::as<std::vector<int>>(strata), folds,
                                static_cast<std::uint64_t>(static_cast<std::int64_t>(seed)), 0));
}
