#include <Rcpp.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/model/mekl.h"
#include "core/model/mekl_predict.h"
#include "r_context.h"
#include "r_data.h"

namespace {

using namespace flexkern;
using Rcpp::Named;
using Numbers = std::vector<double>;
using Rows = std::vector<index_t>;

Kernel read_kernel(const Rcpp::List& from) {
  return {kernel_type(option<std::string>(from, "kernel")), option(from, "gamma", 1.0),
          option<int>(from, "degree", 2), option(from, "coef0", 0.0)};
}

Rows read_rows(const Rcpp::List& from, const char* name) {
  const auto rows = zero_based(Rcpp::IntegerVector(from[name]));
  return {rows.begin(), rows.end()};
}

MeklKernel read_view(const Rcpp::List& from) {
  using Width = MeklKernel::Width;
  MeklKernel out;
  if (has_option(from, "values")) {
    out.values = view(Rcpp::NumericMatrix(from["values"]));
    return out;
  }
  out.kernel = read_kernel(from);
  out.columns = read_rows(from, "columns");
  const auto width = option<std::string>(from, "width", "given");
  out.width = width == "variance" ? Width::square : width == "sigma" ? Width::plain : Width::given;
  return out;
}

MhksOptions read_mhks(const Rcpp::List& options) {
  MhksOptions out;
  out.rho = option(options, "rho", out.rho);
  out.start = option(options, "margin", out.start);
  out.xi = option(options, "xi", out.xi);
  out.absolute = option<std::string>(options, "criterion", "relative") == "absolute";
  out.exact = option<std::string>(options, "margins", "ho-kashyap") == "exact";
  out.sequential = option<std::string>(options, "updates", "simultaneous") == "sequential";
  out.max_iter = option<int>(options, "max_iter", 500);
  return out;
}

BasisOptions read_basis(const Rcpp::List& options) {
  using Rule = BasisOptions::Rule;
  const auto name = option<std::string>(options, "basis", "elimination");
  BasisOptions out;
  out.rule = name == "cholesky" ? Rule::cholesky
             : name == "random" ? Rule::random
             : name == "full"   ? Rule::full
                                : Rule::elimination;
  out.symmetric = option<std::string>(options, "root", "cholesky") == "symmetric";
  out.tol = option(options, "tol", 0.0);
  out.max_rank = option<int>(options, "max_rank", 0);
  return out;
}

MeklOptions read_options(const Rcpp::List& options) {
  MeklOptions out;
  out.one_versus_rest = option<std::string>(options, "multiclass", "ovo") == "ovr";
  out.two_view_svm = option(options, "svm2k", false);
  out.basis = read_basis(options);
  out.mhks = read_mhks(options);
  const Numbers share = option(options, "share", Numbers{1, 1});
  for (int v = 0; v < 2; ++v) out.svm.cost[v] = share[static_cast<std::size_t>(v)];
  out.svm.epsilon = option(options, "epsilon", 0.0);
  out.svm.free_bias = option<std::string>(options, "bias", "penalized") == "free";
  out.svm.tol = option(options, "xi", out.svm.tol);
  out.svm.max_iter = option<int>(options, "max_iter", 100);
  out.first = {option<Numbers>(options, "first"), option(options, "first_open", false)};
  out.second = {option<Numbers>(options, "second"), option(options, "second_open", false)};
  const auto fold = option(options, "fold", std::vector<int>());
  for (int f : fold) out.fold.push_back(f - 1);
  out.label = option<std::string>(options, "label", "machines");
  return out;
}

Rcpp::List pack_view(const MeklView& v) {
  const int rows = static_cast<int>(v.basis.size());
  Rcpp::NumericMatrix coef(rows, rows ? static_cast<int>(v.coef.size()) / rows : 0);
  std::copy(v.coef.begin(), v.coef.end(), coef.begin());
  return Rcpp::List::create(
      Named("kernel") = static_cast<int>(v.kernel) + 1, Named("rank") = static_cast<int>(v.rank),
      Named("gamma") = v.gamma, Named("indefinite") = v.indefinite,
      Named("basis") = one_based({v.basis.begin(), v.basis.end()}), Named("coef") = coef);
}

Rcpp::List pack_machine(const MeklMachine& m) {
  Numbers error, loss;
  for (const MeklTrial& t : m.grid.surface()) {
    error.push_back(t.error);
    loss.push_back(t.loss);
  }
  const MeklPair pair = m.grid.chosen();
  return Rcpp::List::create(Named("positive") = m.positive + 1, Named("negative") = m.negative + 1,
                            Named("chosen") = Numbers{pair.first, pair.second},
                            Named("cv_error") = error.empty() ? NA_REAL : m.grid.best().error,
                            Named("first") = m.grid.values(0), Named("second") = m.grid.values(1),
                            Named("edge") = Numbers{1.0 * m.grid.edge(0), 1.0 * m.grid.edge(1)},
                            Named("error") = error, Named("loss") = loss,
                            Named("objective") = m.objective, Named("intercept") = m.intercept,
                            Named("converged") = m.converged);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_mekl_fit(Rcpp::NumericMatrix x, Rcpp::IntegerVector code, Rcpp::NumericVector w,
                       Rcpp::List kernels, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const auto codes = zero_based(code);
  MeklData data{view(x),
                {codes.begin(), codes.end()},
                Rcpp::as<Numbers>(w),
                option<int>(options, "classes"),
                {}};
  for (R_xlen_t k = 0; k < kernels.size(); ++k) data.kernels.push_back(read_view(kernels[k]));
  const Micro& micro = find_micro(option<std::string>(options, "isa", "auto"));
  Rcpp::List out;
  for (const MeklGroup& group : fit_mekl(data, read_options(options), micro, context)) {
    Rcpp::List views, machines;
    for (const MeklView& v : group.views) views.push_back(pack_view(v));
    for (const MeklMachine& m : group.machines) machines.push_back(pack_machine(m));
    out.push_back(Rcpp::List::create(Named("views") = views, Named("machines") = machines));
  }
  return out;
}

// Kernel expansions, each with the column of the answer at which its coefficients begin.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix fk_mekl_predict(Rcpp::NumericMatrix x, Rcpp::NumericMatrix sv, Rcpp::List parts,
                                    Rcpp::NumericVector intercept, Rcpp::List options) {
  Context context;
  fill_context(context, options);
  const auto device = make_device(context.device, option<std::string>(options, "isa", "auto"));
  std::vector<MeklExpansion> expansions;
  for (R_xlen_t p = 0; p < parts.size(); ++p) {
    const Rcpp::List part = parts[p];
    expansions.push_back({read_kernel(part), read_rows(part, "columns"), read_rows(part, "basis"),
                          view(Rcpp::NumericMatrix(part["coef"])), option<int>(part, "first") - 1});
  }
  Rcpp::NumericMatrix out(x.nrow(), intercept.size());
  for (int c = 0; c < out.ncol(); ++c)
    for (int i = 0; i < out.nrow(); ++i) out(i, c) = intercept[c];
  add_mekl(expansions, view(x), view(sv), *device, mutable_view(out), context);
  return out;
}
