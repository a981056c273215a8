// Cross-validated bounds: the held-out error of the folds' paths at every bound of a grid.
#ifndef FLEXKERN_MODEL_KBP_CHOICE_H
#define FLEXKERN_MODEL_KBP_CHOICE_H

#include <vector>

#include "kbp.h"

namespace flexkern {

// The grid to search: the user's, or ours for the rule and what the folds' paths reached.
std::vector<double> bound_grid(const KbpOptions& options, const std::vector<Path>& folds);

// The squared error on held-out rows of the model at which the rule stops a path.
double error_at(const Path& path, KbpOptions::Stop stop, double bound, index_t rows);

// The options of a path that stops at this bound.
PathOptions stop_at(const KbpOptions& options, double bound, index_t rows);

}  // namespace flexkern

#endif
