// Localized SVMs: one model per cell of a partition (Eberts and Steinwart 2015).
#ifndef FLEXKERN_MODEL_VPSVM_H
#define FLEXKERN_MODEL_VPSVM_H

#include <cstdint>
#include <vector>

#include "cell.h"

namespace flexkern {

// The rows of each cell, from each row's cell number 0 .. cells - 1.
std::vector<std::vector<index_t>> rows_by_cell(const std::vector<std::int32_t>& cell);

// Fits all cells; large ones one after another with all threads, small ones beside each other.
// The last margins[c] rows of cell c are its margin, others' rows that it trains on too; empty:
// none. Throws MemoryBudgetError if a cell does not fit the budget; bytes receives the estimated
// peak.
std::vector<CellFit> fit_cells(const CellData& data, const std::vector<std::vector<index_t>>& rows,
                               const std::vector<index_t>& margins, const CellOptions& options,
                               const Device& device, Context& context, double& bytes);

// A fitted model as prediction reads it; rows of the support vectors are ordered by cell.
struct VpModel {
  Points vectors;               // support vectors x columns
  ConstMatrixRef coef;          // support vectors x responses
  ConstMatrixRef intercept;     // cells x responses
  std::vector<index_t> offset;  // cells + 1
  std::vector<double> gamma;    // cells
  Kernel kernel;
  Labels labels = Labels::none;  // that decision values become
  Points centers;                // no rows: the mean of all cells predicts
  std::vector<std::int32_t> cell_of_center;
};

// Decision values, rows x responses.
void predict_cells(const VpModel& model, const Points& x, const Device& device, MatrixRef out,
                   Context& context);

}  // namespace flexkern

#endif
