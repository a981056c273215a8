#include <Rcpp.h>

#include <string>

#include "core/model/hg_gram.h"
#include "core/model/hg_learn.h"
#include "core/solver/hg_gradient.h"
#include "r_cell_options.h"
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

// The derivatives by all weights of the sum of C_ij k(z_i, x_j), C = right left'.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector fk_hg_slopes(Rcpp::NumericMatrix x, Rcpp::NumericMatrix z,
                                 Rcpp::NumericMatrix left, Rcpp::NumericMatrix right,
                                 Rcpp::List nodes, double gamma, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  HgTiles<double> tiles(view(x), view(z), find_micro(option<std::string>(options, "isa", "auto")));
  tiles.set(read_hierarchy(nodes));
  return Rcpp::wrap(
      hierarchy_gradient(tiles, gamma, view(left), view(right), context.threads, context));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_hg_share(int p, int nodes, int places, double seed) {
  Rcpp::List out;
  for (const auto& columns : share_columns(p, nodes, places, static_cast<std::uint64_t>(seed)))
    out.push_back(one_based({columns.begin(), columns.end()}));
  return out;
}

namespace {

using Rcpp::Named;
using Numbers = std::vector<double>;

HgOptions read_learning(const Rcpp::List& options) {
  using Optimizer = HgOptions::Optimizer;
  HgOptions out;
  const auto name = option<std::string>(options, "optimizer");
  out.optimizer = name == "lbfgs"  ? Optimizer::lbfgs
                  : name == "adam" ? Optimizer::adam
                                   : Optimizer::anneal;
  out.cell = read_cell_options(options);
  out.rounds = option(options, "rounds", out.rounds);
  out.cycles = option(options, "cycles", out.cycles);
  out.first = option(options, "first", out.first);
  out.later = option(options, "later", out.later);
  out.descent = option(options, "descent", out.descent);
  out.spread = option(options, "spread", out.spread);
  out.temperature = option(options, "temperature", out.temperature);
  out.fresh = option(options, "fresh", out.fresh);
  out.steps = option(options, "steps", out.steps);
  out.patience = option(options, "patience", out.patience);
  out.batch = option(options, "batch", out.batch);
  out.rate = option(options, "rate", out.rate);
  return out;
}

Rcpp::DataFrame pack_trace(const std::vector<HgTrace>& trace) {
  Rcpp::IntegerVector round, step;
  Rcpp::NumericVector validation, test;
  for (const HgTrace& line : trace) {
    round.push_back(line.round);
    step.push_back(line.step);
    validation.push_back(line.validation);
    test.push_back(line.test);
  }
  return Rcpp::DataFrame::create(Named("round") = round, Named("step") = step,
                                 Named("validation") = validation, Named("test") = test);
}

}  // namespace

// The weights of an architecture, learned on these rows.
// [[Rcpp::export(rng = false)]]
Rcpp::List fk_hg_learn(Rcpp::NumericMatrix x, Rcpp::NumericMatrix y, Rcpp::NumericVector w,
                       Rcpp::List nodes, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const auto device = make_device(context.device, option<std::string>(options, "isa", "auto"));
  const HgData data{view(x), view(y), Rcpp::as<Numbers>(w)};
  const auto item = static_cast<std::uint64_t>(option(options, "item", 0.0));
  const HgResult found =
      learn_hierarchy(data, read_hierarchy(nodes), read_learning(options), *device, item, context);
  Numbers weights;
  for (const HierarchyNode& node : found.hierarchy.nodes)
    weights.insert(weights.end(), node.weights.begin(), node.weights.end());
  return Rcpp::List::create(
      Named("weights") = weights, Named("gamma") = found.gamma, Named("shift") = found.shift,
      Named("error") = found.error, Named("chosen") = found.chosen,
      Named("trace") = pack_trace(found.trace), Named("proposals") = found.proposals,
      Named("accepted") = found.accepted,
      Named("seconds") = Rcpp::NumericVector::create(Named("anneal") = found.anneal_seconds,
                                                     Named("descent") = found.descent_seconds,
                                                     Named("solve") = found.solve_seconds));
}
