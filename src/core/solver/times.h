// What the steps of a search take, in units of reading one value of the Gram matrix.
#ifndef FLEXKERN_SOLVER_TIMES_H
#define FLEXKERN_SOLVER_TIMES_H

#include "search.h"
#include "shared_factor.h"

namespace flexkern {

constexpr double kReadTime = 1.2, kColumnTime = 0.15, kPassTime = 20;
// Of floating-point operations in single and in double precision.
constexpr double kFlopTime = 0.07, kDoubleFlopTime = 0.14;

inline double systems_of(const FoldPlan& plan, index_t responses) {
  return static_cast<double>(plan.folds.size()) * static_cast<double>(responses);
}

// A product with the Gram matrix reads all of it and works on every column.
inline double product_time(const FoldPlan& plan, index_t responses) {
  const double n = static_cast<double>(plan.n);
  return n * n * (kReadTime + kColumnTime * systems_of(plan, responses));
}

// Factors take that, passes over the matrix around it, and substitutions: so many where folds share
// a factor.
inline double factor_time(const FoldPlan& plan, index_t responses, double steps) {
  constexpr double kFewSubstitutions = 4;
  const double n = static_cast<double>(plan.n);
  const auto groups = factor_groups(plan, responses, steps);
  const double substitutions = groups.size() < plan.folds.size() ? steps : kFewSubstitutions;
  return kFlopTime * factor_cost(plan, groups) +
         n * n * (kPassTime + substitutions * (1 + kColumnTime * systems_of(plan, responses)));
}

// In the search a pair by factorisation takes few of them.
constexpr double kSubstitutions = 10;
inline double product_time(const SearchTask& task) {
  return product_time(task.plan, task.responses.cols());
}
inline double factor_time(const SearchTask& task) {
  return factor_time(task.plan, task.responses.cols(), kSubstitutions);
}

}  // namespace flexkern

#endif
