#include <Rcpp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/folds.h"
#include "core/model/kbp.h"
#include "core/model/kbp_predict.h"
#include "core/model/kbp_scale.h"
#include "core/model/kbp_traps.h"
#include "r_context.h"
#include "r_data.h"

namespace {

using namespace flexkern;
using Rcpp::Named;
using Numbers = std::vector<double>;

SourceKernel read_kernel(const Rcpp::List& block) {
  return source_kernel(option<std::string>(block, "kernel"), option(block, "gamma", 1.0),
                       option<int>(block, "degree", 3), option(block, "coef0", 0.0));
}

std::vector<index_t> read_columns(const Rcpp::List& block) {
  const auto columns = zero_based(Rcpp::IntegerVector(block["columns"]));
  return {columns.begin(), columns.end()};
}

SourceBlock read_block(const Rcpp::List& block) {
  SourceBlock out;
  if (option(block, "trap", false)) out.role = Role::trap;
  out.intercept = option(block, "intercept", false);
  if (has_option(block, "values")) {
    out.values = view(Rcpp::NumericMatrix(block["values"]));
    if (has_option(block, "owner")) out.owner = zero_based(Rcpp::IntegerVector(block["owner"]));
    return out;
  }
  out.kernel = read_kernel(block);
  out.columns = read_columns(block);
  return out;
}

PathOptions read_path_options(const Rcpp::List& options) {
  using Method = PathOptions::Method;
  const auto name = option<std::string>(options, "method", "lasso");
  PathOptions out;
  out.method = name == "lar"      ? Method::lar
               : name == "mp"     ? Method::mp
               : name == "omp"    ? Method::omp
               : name == "prefit" ? Method::prefit
                                  : Method::lasso;
  out.max_steps = option<int>(options, "max_steps", 1000);
  out.least_squares_end = option<std::string>(options, "last_step", "lars") == "ols";
  return out;
}

KbpOptions read_options(const Rcpp::List& options, const Context& context,
                        const Rcpp::IntegerVector& strata) {
  using Stop = KbpOptions::Stop;
  const auto name = option<std::string>(options, "stop", "none");
  KbpOptions out;
  out.stop = name == "cv.l1"       ? Stop::l1
             : name == "cv.nu"     ? Stop::nu
             : name == "loss"      ? Stop::loss
             : name == "whiteness" ? Stop::whiteness
             : name == "random"    ? Stop::traps
             : name == "trap"      ? Stop::traps
                                   : Stop::none;
  out.bounds = option(options, "bounds", Numbers());
  out.path = read_path_options(options);
  out.order = option(options, "order", Numbers());
  out.lags = option<int>(options, "lags", 0);
  out.held_out = option(options, "held_out", false);
  out.center = option(options, "center", true);
  out.margin = option(options, "margin", 0.0);
  const Rcpp::List trials = option(options, "trials", Rcpp::List());
  for (R_xlen_t t = 0; t < trials.size(); ++t) {
    const auto blocks = zero_based(Rcpp::IntegerVector(trials[t]));
    out.trials.emplace_back(blocks.begin(), blocks.end());
  }
  const int folds = option<int>(options, "folds", 0);
  if (folds > 0)
    out.fold = fold_assignment(Rcpp::as<std::vector<int>>(strata), folds, context.seed, 0);
  return out;
}

Rcpp::DataFrame pack_points(const Path& path, const std::vector<index_t>& ids) {
  const int n = static_cast<int>(path.points.size());
  Rcpp::NumericVector l1(n), correlation(n), loss(n);
  Rcpp::IntegerVector active(n), traps(n), entered(n), left(n);
  const auto number = [&](index_t id) {
    if (id < 0) return NA_INTEGER;
    return static_cast<int>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin()) + 1;
  };
  for (int k = 0; k < n; ++k) {
    const Breakpoint& p = path.points[static_cast<std::size_t>(k)];
    l1[k] = p.l1;
    correlation[k] = p.correlation;
    loss[k] = p.loss;
    active[k] = static_cast<int>(p.active);
    traps[k] = static_cast<int>(p.traps);
    entered[k] = number(p.entered);
    left[k] = number(p.left);
  }
  return Rcpp::DataFrame::create(Named("l1") = l1, Named("correlation") = correlation,
                                 Named("loss") = loss, Named("df") = active, Named("traps") = traps,
                                 Named("entered") = entered, Named("left") = left);
}

Rcpp::List pack_path(const KbpPath& from, const std::vector<index_t>& ids) {
  const Path& path = from.path;
  Rcpp::IntegerVector source(path.source.size());
  for (std::size_t i = 0; i < path.source.size(); ++i)
    source[i] =
        static_cast<int>(std::lower_bound(ids.begin(), ids.end(), path.source[i]) - ids.begin()) +
        1;
  return Rcpp::List::create(
      Named("points") = pack_points(path, ids),
      Named("offset") = Rcpp::IntegerVector(path.offset.begin(), path.offset.end()),
      Named("source") = source, Named("value") = path.coef, Named("mean") = from.mean,
      Named("bound") = from.bound, Named("grid") = from.grid, Named("risk") = from.risk,
      Named("end") = path.end == Path::End::rule    ? "rule"
                     : path.end == Path::End::steps ? "steps"
                                                    : "complete");
}

Rcpp::DataFrame pack_sources(const std::vector<KbpSource>& sources) {
  const int n = static_cast<int>(sources.size());
  Rcpp::IntegerVector block(n), place(n);
  Rcpp::NumericVector mean(n), scale(n);
  for (int j = 0; j < n; ++j) {
    const KbpSource& s = sources[static_cast<std::size_t>(j)];
    block[j] = static_cast<int>(s.block) + 1;
    place[j] = static_cast<int>(s.place) + 1;
    mean[j] = s.mean;
    scale[j] = s.scale;
  }
  return Rcpp::DataFrame::create(Named("block") = block, Named("place") = place,
                                 Named("mean") = mean, Named("scale") = scale);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_kbp_fit(Rcpp::NumericMatrix x, Rcpp::NumericMatrix y, Rcpp::NumericVector w,
                      Rcpp::IntegerVector strata, Rcpp::List blocks, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  KbpData data{view(x), view(y), Rcpp::as<Numbers>(w), {}};
  for (R_xlen_t b = 0; b < blocks.size(); ++b) data.blocks.push_back(read_block(blocks[b]));
  const Micro& micro = find_micro(option<std::string>(options, "isa", "auto"));
  const KbpOptions how = read_options(options, context, strata);
  const KbpFit fit = fit_kbp(data, how, micro, context);
  Rcpp::List paths;
  for (const KbpPath& path : fit.paths) paths.push_back(pack_path(path, fit.ids));
  Rcpp::List out = Rcpp::List::create(
      Named("paths") = paths, Named("sources") = pack_sources(fit.sources),
      Named("size") = static_cast<double>(fit.usable), Named("stored") = fit.stored,
      Named("threads") = context.threads, Named("trial") = static_cast<int>(fit.trial) + 1,
      Named("fold") = one_based({how.fold.begin(), how.fold.end()}));
  if (!fit.held_out.empty()) {
    Rcpp::NumericMatrix held(x.nrow(), y.ncol());
    std::copy(fit.held_out.begin(), fit.held_out.end(), held.begin());
    out["held_out"] = held;
  }
  return out;
}

// The decision values of expansions, one per kernel: out += K(x, centers) coef.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix fk_kbp_predict(Rcpp::NumericMatrix x, Rcpp::List parts,
                                   Rcpp::NumericVector intercept, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const Micro& micro = find_micro(option<std::string>(options, "isa", "auto"));
  std::vector<KbpExpansion> expansions;
  for (R_xlen_t p = 0; p < parts.size(); ++p) {
    const Rcpp::List part = parts[p];
    expansions.push_back({read_kernel(part), read_columns(part),
                          view(Rcpp::NumericMatrix(part["centers"])),
                          view(Rcpp::NumericMatrix(part["coef"]))});
  }
  Rcpp::NumericMatrix out(x.nrow(), intercept.size());
  for (int c = 0; c < out.ncol(); ++c)
    for (int i = 0; i < out.nrow(); ++i) out(i, c) = intercept[c];
  add_expansions(expansions, view(x), micro, mutable_view(out), context);
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector fk_key_distances(Rcpp::NumericMatrix x, int max_rows, bool exact,
                                     Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const KeyDistances d = key_distances(view(x), max_rows, exact, context);
  return Rcpp::NumericVector::create(Named("least") = d.least, Named("median") = d.median_nn,
                                     Named("diameter") = d.diameter);
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix fk_random_traps(int n, int count, bool uniform, double seed) {
  Rcpp::NumericMatrix out(n, count);
  const Numbers values = random_traps(n, count, uniform, static_cast<std::uint64_t>(seed));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}
