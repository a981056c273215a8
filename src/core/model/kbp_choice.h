// Cross-validated bounds: where the rule stops the folds' paths at each bound, and how well.
#ifndef FLEXKERN_MODEL_KBP_CHOICE_H
#define FLEXKERN_MODEL_KBP_CHOICE_H

#include <vector>

#include "kbp.h"

namespace flexkern {

// The grid to search: the user's, or ours for the rule; sum |beta| up to `longest`.
std::vector<double> bound_grid(const KbpOptions& options, double longest);

// The share of the way from breakpoint `point` - 1 to `point`. `reached` is false where the path
// ends before the bound, at this place.
struct Place {
  std::size_t point;
  double share;
  bool reached;
};

// Where the rule stops a path over so many rows.
Place place_of(const Path& path, KbpOptions::Stop stop, double bound, index_t rows);

// The squared error on held-out rows of the model there, and the coefficients of its sources.
double error_at(const Path& path, const Place& place);
void coef_at(const Path& path, const Place& place, std::vector<index_t>& sources,
             std::vector<double>& coef);

// The options of a path that stops at this bound.
PathOptions stop_at(const KbpOptions& options, double bound, index_t rows);

}  // namespace flexkern

#endif
