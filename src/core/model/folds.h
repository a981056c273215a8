// Stratified folds for cross-validation, and stratified samples.
#ifndef FLEXKERN_MODEL_FOLDS_H
#define FLEXKERN_MODEL_FOLDS_H

#include <cstdint>
#include <vector>

#include "core/base/view.h"

namespace flexkern {

// The fold, 0 .. folds - 1, of each row. Every fold gets its share of every stratum, and the sizes
// of the folds differ by at most 1; with fewer rows than folds, each row has a fold of its own.
// What number a stratum has does not matter.
// `item` tells apart the assignments of one call, for example its cells.
std::vector<int> fold_assignment(const std::vector<int>& strata, int folds, std::uint64_t seed,
                                 std::uint64_t item);

// `count` rows in rising order, out of those of positive weight; every stratum gets its share up to
// one row. All of them if there are no more.
std::vector<index_t> stratified_sample(const std::vector<int>& strata,
                                       const std::vector<double>& weights, index_t count,
                                       std::uint64_t seed, std::uint64_t item);

}  // namespace flexkern

#endif
