// The search for many responses that share a grid.
#ifndef FLEXKERN_SOLVER_SCREEN_H
#define FLEXKERN_SOLVER_SCREEN_H

#include <cstdint>
#include <memory>
#include <vector>

#include "search.h"

namespace flexkern {

// From so many responses on, a factorisation per pair is cheaper than Krylov spaces for all of
// them.
constexpr index_t kManyResponses = 5;

// A task with a few random mixtures of its responses, where they are many: with independent signs
// s_c, the squared error of sum_c s_c f_c has the mean sum_c (y_c - f_c)^2.
class Mixtures {
 public:
  Mixtures(const SearchTask& task, std::uint64_t item);
  const SearchTask& task() const { return mixed_ ? *mixed_ : task_; }

 private:
  const SearchTask& task_;
  SearchOptions options_;
  std::vector<double> values_;
  std::unique_ptr<SearchTask> mixed_;
};

// First the whole grid on one fold for mixtures of the responses. Then all folds and responses,
// from the best pair of that screen downhill to a pair that none of its neighbours beats.
void search_screened(const SearchTask& task, std::uint64_t item, Surface& surface);

}  // namespace flexkern

#endif
