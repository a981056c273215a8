#include <Rcpp.h>

#include <string>

#include "core/model/hg_gram.h"
#include "r_context.h"
#include "r_data.h"

using namespace flexkern;

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix fk_hg_gram(Rcpp::NumericMatrix x, Rcpp::NumericMatrix z, Rcpp::List nodes,
                               double gamma, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const Hierarchy hierarchy = read_hierarchy(nodes);
  Rcpp::NumericMatrix out(x.nrow(), z.nrow());
  hierarchy_gram(Points(view(x)).under(&hierarchy), view(z), gamma,
                 find_micro(option<std::string>(options, "isa", "auto")), mutable_view(out),
                 context);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_hg_share(int p, int nodes, int places, double seed) {
  Rcpp::List out;
  for (const auto& columns : share_columns(p, nodes, places, static_cast<std::uint64_t>(seed)))
    out.push_back(one_based({columns.begin(), columns.end()}));
  return out;
}
