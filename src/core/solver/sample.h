// A part of the rows of a search, as a search of its own.
#ifndef FLEXKERN_SOLVER_SAMPLE_H
#define FLEXKERN_SOLVER_SAMPLE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "search.h"

namespace flexkern {

// Levels of a search: each on half of the rows of the one above.
// Up to so many rows the whole grid is looked at.
constexpr index_t kWholeRows = 600;
// The share of the progress that the levels below take.
constexpr double kShareBelow = 0.3;

// Rows drawn at random, about `share` of those of every fold, for work item `item`; they rise.
std::vector<index_t> sample_rows(const FoldPlan& plan, double share, std::uint64_t seed,
                                 std::uint64_t item);

// The folds of these rows.
FoldPlan restrict_plan(const FoldPlan& plan, const std::vector<index_t>& rows, index_t stride);

class Sample {
 public:
  // About `share` of the rows of every fold, drawn at random for work item `item`.
  Sample(const SearchTask& task, double share, std::uint64_t item,
         std::function<void(double)> report);
  const SearchTask& task() const { return *task_; }

 private:
  std::vector<index_t> rows_;
  std::unique_ptr<ChosenPoints> points_;
  std::vector<double> responses_;
  std::unique_ptr<GramMatrix> gram_;
  std::unique_ptr<FoldPlan> plan_;
  std::unique_ptr<SearchTask> task_;
};

}  // namespace flexkern

#endif
