#include <Rcpp.h>

#include <string>
#include <vector>

#include "core/model/vpsvm.h"
#include "r_cell_options.h"
#include "r_context.h"
#include "r_data.h"

namespace {

using namespace flexkern;
using Rcpp::Named;
using Numbers = std::vector<double>;

// Under the hierarchy among the options, where there is one; it lives in `storage`.
Points under_hierarchy(const Points& points, const Rcpp::List& options, Hierarchy& storage) {
  if (!has_option(options, "nodes")) return points;
  storage = read_hierarchy(options["nodes"]);
  return points.under(&storage);
}

std::unique_ptr<Device> read_device(const Context& context, const Rcpp::List& options) {
  return make_device(context.device, option<std::string>(options, "isa", "auto"));
}

Rcpp::NumericMatrix as_matrix(const Numbers& values, index_t rows, index_t cols) {
  Rcpp::NumericMatrix out(static_cast<int>(rows), static_cast<int>(cols));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

Rcpp::NumericMatrix tried_matrix(const std::vector<Choice>& tried) {
  Rcpp::NumericMatrix out(static_cast<int>(tried.size()), 3);
  for (int i = 0; i < out.nrow(); ++i) {
    const Choice& pair = tried[static_cast<std::size_t>(i)];
    out(i, 0) = pair.gamma;
    out(i, 1) = pair.lambda;
    out(i, 2) = pair.risk;
  }
  Rcpp::colnames(out) = Rcpp::CharacterVector::create("gamma", "lambda", "risk");
  return out;
}

Rcpp::LogicalMatrix settled_matrix(const Surface& surface) {
  Rcpp::LogicalMatrix out(static_cast<int>(surface.gammas.size()),
                          static_cast<int>(surface.lambdas.size()));
  std::copy(surface.settled.begin(), surface.settled.end(), out.begin());
  return out;
}

// Per row of the data: values of the cells' fits at their places.
struct ByRow {
  Rcpp::NumericMatrix held_out, fitted;
  Rcpp::IntegerVector fold;

  ByRow(int n, int responses) : held_out(n, responses), fitted(n, responses), fold(n) {}

  void put(const CellFit& fit, const std::vector<index_t>& rows) {
    const std::size_t own = fit.fold.size();
    for (std::size_t i = 0; i < own; ++i) {
      const int row = static_cast<int>(rows[i]);
      fold[row] = fit.fold[i] + 1;
      for (int c = 0; c < fitted.ncol(); ++c) {
        const std::size_t from = static_cast<std::size_t>(c) * own + i;
        held_out(row, c) = std::isnan(fit.held_out[from]) ? NA_REAL : fit.held_out[from];
        fitted(row, c) = fit.fitted[from];
      }
    }
  }
};

// The rows with a coefficient, ordered by cell: own ones, then those of the margin.
struct Vectors {
  Rcpp::IntegerVector offset, index;
  Rcpp::NumericMatrix coef;

  Vectors(const std::vector<CellFit>& fits, const std::vector<std::vector<index_t>>& rows,
          int responses)
      : offset(fits.size() + 1) {
    const auto count = static_cast<std::size_t>(responses);
    for (std::size_t j = 0; j < fits.size(); ++j)
      offset[j + 1] = offset[j] + static_cast<int>(fits[j].coef.size() / count);
    index = Rcpp::IntegerVector(offset[fits.size()]);
    coef = Rcpp::NumericMatrix(index.size(), responses);
    for (std::size_t j = 0; j < fits.size(); ++j) put(fits[j], rows[j], offset[j], offset[j + 1]);
  }

  void put(const CellFit& fit, const std::vector<index_t>& rows, int begin, int end) {
    const auto n = static_cast<std::size_t>(end - begin);
    for (std::size_t i = 0; i < n; ++i) {
      const int at = begin + static_cast<int>(i);
      index[at] = static_cast<int>(rows[i]) + 1;
      for (int c = 0; c < coef.ncol(); ++c)
        coef(at, c) = fit.coef[static_cast<std::size_t>(c) * n + i];
    }
  }
};

// In the order of `coef`, the coefficients of the fold models, one column each. A cell that lacks a
// fold has its final model there, as it held none of its rows out.
Rcpp::NumericMatrix fold_matrix(const std::vector<CellFit>& fits, int rows) {
  std::size_t folds = 0;
  for (const CellFit& fit : fits)
    if (!fit.fold_coef.empty()) folds = std::max(folds, fit.fold_coef.size() / fit.coef.size());
  Rcpp::NumericMatrix out(rows, static_cast<int>(folds));
  auto to = out.begin();
  for (std::size_t f = 0; f < folds; ++f) {
    for (const CellFit& fit : fits) {
      const std::size_t n = fit.coef.size();
      const bool held_out = (f + 1) * n <= fit.fold_coef.size();
      const double* from = held_out ? fit.fold_coef.data() + f * n : fit.coef.data();
      to = std::copy(from, from + n, to);
    }
  }
  return out;
}

// Appends each cell's margin to its rows; returns how many rows that were.
std::vector<index_t> append_margins(const Rcpp::List& margin,
                                    std::vector<std::vector<index_t>>& rows) {
  std::vector<index_t> counts;
  for (R_xlen_t c = 0; c < margin.size(); ++c) {
    const Rcpp::IntegerVector more(margin[c]);
    for (const int row : more) rows[static_cast<std::size_t>(c)].push_back(row - 1);
    counts.push_back(more.size());
  }
  return counts;
}

Rcpp::List pack(const std::vector<CellFit>& fits, const std::vector<std::vector<index_t>>& rows,
                int n, int responses) {
  const int cells = static_cast<int>(fits.size());
  ByRow by_row(n, responses);
  const Vectors vectors(fits, rows, responses);
  Rcpp::IntegerVector iterations(cells);
  Rcpp::NumericVector gamma(cells), lambda(cells), risk(cells), gap(cells);
  Rcpp::NumericMatrix intercept(cells, responses), own_risk(cells, responses);
  Rcpp::LogicalVector converged(cells);
  Rcpp::List grid_gamma(cells), grid_lambda(cells), risks(cells), settled(cells), steps(cells);
  Rcpp::List tried(cells), each(cells);
  Rcpp::IntegerVector searched(cells);
  double search = 0, solve = 0;
  for (int j = 0; j < cells; ++j) {
    const CellFit& fit = fits[static_cast<std::size_t>(j)];
    by_row.put(fit, rows[static_cast<std::size_t>(j)]);
    for (int c = 0; c < responses; ++c) {
      const auto at = static_cast<std::size_t>(c);
      intercept(j, c) = fit.intercept[at];
      const bool known = at < fit.risks.size() && std::isfinite(fit.risks[at]);
      own_risk(j, c) = known ? fit.risks[at] : NA_REAL;
    }
    gamma[j] = fit.choice.gamma;
    lambda[j] = fit.choice.lambda;
    risk[j] = std::isfinite(fit.choice.risk) ? fit.choice.risk : NA_REAL;
    converged[j] = fit.converged;
    iterations[j] = static_cast<int>(fit.iterations);
    gap[j] = fit.gap;
    const Surface& surface = fit.surface;
    grid_gamma[j] = surface.gammas;
    grid_lambda[j] = surface.lambdas;
    risks[j] = as_matrix(surface.risk, static_cast<index_t>(surface.gammas.size()),
                         static_cast<index_t>(surface.lambdas.size()));
    settled[j] = settled_matrix(surface);
    tried[j] = tried_matrix(fit.tried);
    if (!surface.each.empty())
      each[j] = as_matrix(surface.each, static_cast<index_t>(surface.risk.size()), responses);
    searched[j] = static_cast<int>(fit.searched_rows);
    steps[j] = Rcpp::IntegerVector(surface.steps.begin(), surface.steps.end());
    search += fit.search_seconds;
    solve += fit.solve_seconds;
  }
  Rcpp::List out = Rcpp::List::create(
      Named("index") = vectors.index, Named("offset") = vectors.offset,
      Named("coef") = vectors.coef, Named("intercept") = intercept, Named("gamma") = gamma,
      Named("lambda") = lambda, Named("cv_risk") = risk, Named("grid_gamma") = grid_gamma,
      Named("grid_lambda") = grid_lambda, Named("risk") = risks, Named("settled") = settled,
      Named("steps") = steps, Named("tried") = tried, Named("searched") = searched,
      Named("cv_decision") = by_row.held_out, Named("fold") = by_row.fold,
      Named("fitted") = by_row.fitted, Named("converged") = converged,
      Named("iterations") = iterations,
      Named("seconds") =
          Rcpp::NumericVector::create(Named("search") = search, Named("solve") = solve));
  out["gap"] = gap;
  out["own_risk"] = own_risk;
  out["each"] = each;
  return out;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_vp_fit(Rcpp::RObject x, Rcpp::NumericMatrix y, Rcpp::NumericVector w,
                     Rcpp::IntegerVector strata, Rcpp::IntegerVector cell, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const auto device = read_device(context, options);
  const RPoints points(x, option(options, "shift", Rcpp::RObject()));
  const Rcpp::NumericMatrix own =
      option(options, "response_weights", Rcpp::NumericMatrix(y.nrow(), 0));
  Hierarchy hierarchy;
  const CellData data{under_hierarchy(points.points(), options, hierarchy),
                      view(y),
                      Rcpp::as<Numbers>(w),
                      Rcpp::as<std::vector<int>>(strata),
                      0,
                      view(own)};
  auto rows = rows_by_cell(zero_based(cell));
  const auto margins = append_margins(option(options, "margin", Rcpp::List()), rows);
  double bytes = 0;
  const auto fits =
      fit_cells(data, rows, margins, read_cell_options(options), *device, context, bytes);
  Rcpp::List out = pack(fits, rows, y.nrow(), y.ncol());
  const Rcpp::NumericMatrix coef = out["coef"];
  out["fold_coef"] = fold_matrix(fits, coef.nrow());
  out["bytes"] = bytes;
  out["threads"] = context.threads;
  return out;
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix fk_vp_predict(Rcpp::RObject x, Rcpp::List model, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const auto device = read_device(context, options);
  const Rcpp::RObject shift = option(model, "shift", Rcpp::RObject());
  const RPoints points(x, shift), vectors(model["sv"], shift), centers(model["centers"]);
  const Rcpp::NumericMatrix coef = model["coef"], intercept = model["intercept"];
  const auto offset = Rcpp::as<std::vector<int>>(model["offset"]);
  Hierarchy hierarchy;
  const VpModel view_of{under_hierarchy(vectors.points(), model, hierarchy),
                        view(coef),
                        view(intercept),
                        std::vector<index_t>(offset.begin(), offset.end()),
                        Rcpp::as<Numbers>(model["gamma"]),
                        read_cell_kernel(model),
                        read_labels(model),
                        centers.points(),
                        zero_based(Rcpp::IntegerVector(model["cell_of_center"]))};
  const Points at = points.points().under(view_of.vectors.hierarchy());
  Rcpp::NumericMatrix out(static_cast<int>(at.rows()), coef.ncol());
  predict_cells(view_of, at, *device, mutable_view(out), context);
  return out;
}
