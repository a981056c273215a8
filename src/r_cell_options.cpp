#include "r_cell_options.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "r_data.h"

namespace flexkern {
namespace {

using Numbers = std::vector<double>;

// One loss per response; none for the least-squares machine.
std::vector<Loss> read_losses(const Rcpp::List& options) {
  std::vector<Loss> losses;
  if (!option(options, "dual", false)) return losses;
  Loss loss;
  loss.type = loss_type(option<std::string>(options, "loss", "least.squares"));
  loss.epsilon = option(options, "epsilon", 0.1);
  for (const double tau : option(options, "tau", Numbers())) {
    loss.tau = tau;
    losses.push_back(loss);
  }
  return losses;
}

}  // namespace

Kernel read_cell_kernel(const Rcpp::List& options) {
  Kernel kernel;
  kernel.type = kernel_type(option<std::string>(options, "kernel", "radial"));
  kernel.degree = option<int>(options, "degree", 3);
  kernel.coef0 = option(options, "coef0", 0.0);
  kernel.offset = option(options, "constant", 0.0);
  return kernel;
}

Labels read_labels(const Rcpp::List& options) {
  const auto name = option<std::string>(options, "labels", "none");
  return name == "sign" ? Labels::sign : name == "largest" ? Labels::largest : Labels::none;
}

CellOptions read_cell_options(const Rcpp::List& options) {
  CellOptions out;
  out.kernel = read_cell_kernel(options);
  out.gammas = option(options, "gamma", Numbers());
  out.lambdas = option(options, "lambda", Numbers());
  out.costs = option(options, "cost", Numbers());
  out.folds = option<int>(options, "folds", 5);
  const auto validation = option<std::string>(options, "validation", "cv");
  out.split = validation != "cv";
  out.split_cells = validation == "split.cells";
  out.average = option<std::string>(options, "final", "average") == "average";
  out.refine = option(options, "refine", false);
  out.tol = option(options, "tol", 1e-6);
  const double search_rows = option(options, "search_rows", 8000.0);
  out.search_rows = static_cast<index_t>(std::min(search_rows, 1e9));
  out.search.race = option<std::string>(options, "search", "race") == "race";
  out.search.max_iter = option<int>(options, "max_iter", 1000);
  const double infinite = std::numeric_limits<double>::infinity();
  const Numbers clip = option(options, "clip", Numbers{-infinite, infinite});
  out.search.clip = {clip[0], clip[1]};
  out.losses = read_losses(options);
  out.labels = read_labels(options);
  out.lead = option<int>(options, "lead", -1);
  out.each = option(options, "each", false);
  return out;
}

}  // namespace flexkern
