// The options of a cell's fit out of a named list.
#ifndef FLEXKERN_R_CELL_OPTIONS_H
#define FLEXKERN_R_CELL_OPTIONS_H

#include <Rcpp.h>

#include "core/model/cell.h"

namespace flexkern {

Kernel read_cell_kernel(const Rcpp::List& options);
Labels read_labels(const Rcpp::List& options);
CellOptions read_cell_options(const Rcpp::List& options);

}  // namespace flexkern

#endif
