// What the steps of a search take, in units of reading one value of the Gram matrix.
#ifndef FLEXKERN_SOLVER_TIMES_H
#define FLEXKERN_SOLVER_TIMES_H

#include "search.h"
#include "shared_factor.h"

namespace flexkern {

constexpr double kReadTime = 1.2, kColumnTime = 0.15, kPassTime = 20;
// Of floating-point operations in single and in double precision.
constexpr double kFlopTime = 0.07, kDoubleFlopTime = 0.14;

// A product with the Gram matrix reads all of it and works on every column.
inline double product_time(const SearchTask& task) {
  const double n = static_cast<double>(task.plan.n);
  const double systems =
      static_cast<double>(task.plan.folds.size()) * static_cast<double>(task.responses.cols());
  return n * n * (kReadTime + kColumnTime * systems);
}

// A pair by factorisation takes that, passes over the matrix around it, and a few substitutions.
inline double factor_time(const SearchTask& task) {
  constexpr double kSubstitutions = 10;
  const double n = static_cast<double>(task.plan.n);
  const double systems =
      static_cast<double>(task.plan.folds.size()) * static_cast<double>(task.responses.cols());
  const auto groups = factor_groups(task.plan, task.responses.cols());
  return kFlopTime * factor_cost(task.plan, groups) +
         n * n * (kPassTime + kSubstitutions * (1 + kColumnTime * systems));
}

}  // namespace flexkern

#endif
