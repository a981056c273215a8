// Stratified folds for cross-validation.
#ifndef FLEXKERN_MODEL_FOLDS_H
#define FLEXKERN_MODEL_FOLDS_H

#include <cstdint>
#include <vector>

namespace flexkern {

// The fold, 0 .. folds - 1, of each row. Every fold gets its share of every stratum, and the sizes
// of the folds differ by at most 1; with fewer rows than folds, each row has a fold of its own.
// `item` tells apart the assignments of one call, for example its cells.
std::vector<int> fold_assignment(const std::vector<int>& strata, int folds, std::uint64_t seed,
                                 std::uint64_t item);

}  // namespace flexkern

#endif
