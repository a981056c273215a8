// One cell of a partition: the grid search and the final models. A pure function of the cell's
// rows, the options, the seed and the cell's number.
#ifndef FLEXKERN_MODEL_CELL_H
#define FLEXKERN_MODEL_CELL_H

#include <cstdint>
#include <limits>
#include <vector>

#include "core/solver/loss.h"
#include "core/solver/search.h"
#include "core/solver/ties.h"

namespace flexkern {

struct CellOptions {
  Kernel kernel;
  std::vector<double> gammas, lambdas;  // empty: the default grid of the cell
  std::vector<double> costs;            // instead of lambdas: lambda = 1 / (2 cost n)
  int folds = 5;                        // 0: no validation, one model on all rows
  bool split = false;                   // one fold: the first rows train, the rest validates
  index_t train = -1;                   // split: so many rows train; -1: rows / 2 + 1
  bool split_cells = false;             // split: each cell on its own, not all rows at once
  bool average = true;                  // the mean of the fold models, else one model on all rows
  bool refine = false;                  // a second, finer grid around the winner
  double tol = 1e-6;
  std::vector<Loss> losses;      // of each response; empty: least squares
  int lead = -1;                 // the response that the grid is searched for; -1: all of them
  Labels labels = Labels::none;  // that decision values become
  bool each = false;             // keep the risks of each response, under a loss with a dual
  SearchOptions search;
  // A cell with more rows is large: its grid is searched on a sample of so many.
  index_t search_rows = 8000;
  // For the values of the Gram matrix of a large cell; what does not fit is computed again.
  double gram_bytes = std::numeric_limits<double>::infinity();
};

// The cell's own rows and, after them, those of its margin. Only ratios of weights matter, within
// the cell and a response.
struct CellData {
  Points x;                         // n x d
  ConstMatrixRef y;                 // n x responses
  std::vector<double> weights;      // n
  std::vector<int> strata;          // n, folds are stratified by it
  index_t margin = 0;               // how many of the rows are the margin's
  ConstMatrixRef response_weights;  // n x responses, instead of the weights; or no columns
  index_t own() const { return x.rows() - margin; }
  double weight(index_t i, index_t response) const {
    return response_weights.cols() > 0 ? response_weights(i, response)
                                       : weights[static_cast<std::size_t>(i)];
  }
};

struct CellFit {
  std::vector<double> coef;  // n x responses; without the margin where all is constant
  // Of responses: the constant of one that does not vary, the offset under a loss with a level.
  std::vector<double> intercept;
  std::vector<double> fold_coef;  // n x folds, of a single response where fold models are averaged
  Choice choice;
  std::vector<double> risks;  // of each response, at the chosen pair
  Surface surface;            // without rows when nothing was searched
  index_t searched_rows = 0;  // behind the surface
  std::vector<Choice> tried;  // in a large cell: the pairs whose risk is that of all rows
  // Own rows x responses: decision values from models that saw not the row, and from the final one.
  std::vector<double> held_out, fitted;
  std::vector<int> fold;  // of each own row; -1: never held out
  bool converged = true;
  index_t iterations = 0;
  // The largest relative duality gap of the final models; under least squares their residual.
  double gap = 0;
  double search_seconds = 0, solve_seconds = 0;
};

// Bytes that fit_cell takes at its peak, without factorisations or with them.
double cell_bytes(index_t n, index_t d, index_t responses, const CellOptions& options,
                  const Device& device, bool factors = false);

// The same of the final models on all n rows, own ones and margin.
double margin_bytes(index_t n, index_t d, index_t responses, const CellOptions& options,
                    const Device& device, bool factors);

CellFit fit_cell(const CellData& data, const CellOptions& options, const Device& device,
                 std::uint64_t item, int threads, Context& context);

}  // namespace flexkern

#endif
