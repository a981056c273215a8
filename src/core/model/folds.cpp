#include "folds.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace flexkern {

std::vector<int> fold_assignment(const std::vector<int>& strata, int folds, std::uint64_t seed,
                                 std::uint64_t item) {
  require(folds > 0, "at least one fold is needed");
  std::vector<int> order(strata.size()), fold(strata.size());
  std::iota(order.begin(), order.end(), 0);
  Rng(seed, stream::kFolds + item).shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return strata[a] < strata[b]; });
  // Dealing goes on from one stratum to the next: small strata do not all end up in the first
  // folds.
  for (std::size_t i = 0; i < order.size(); ++i)
    fold[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  return fold;
}

}  // namespace flexkern
