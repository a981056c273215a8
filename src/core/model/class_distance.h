// Exact extreme and mean distances within and between classes, without a matrix of distances.
// Squared distances are sums of squared differences in double precision; ties go to the smallest
// rows, so that neither threads nor the order of the blocks shows.
#ifndef FLEXKERN_MODEL_CLASS_DISTANCE_H
#define FLEXKERN_MODEL_CLASS_DISTANCE_H

#include <vector>

#include "class_blocks.h"

namespace flexkern {

// Two rows and their squared distance; -1 for no rows.
struct RowPair {
  double distance = 0;
  std::int32_t first = -1, second = -1;

  bool none() const { return first < 0; }
  bool before(const RowPair& other) const {
    return first < other.first || (first == other.first && second < other.second);
  }
};

// For each class the two rows farthest apart; none for a class of one row.
std::vector<RowPair> diameters(const ClassBlocks& x, Context& context);

// For each row the nearest one of another class, or with `positive` the nearest one that does not
// coincide with it; none where there is no such row. Rows of x, first is the row itself.
std::vector<RowPair> nearest_other(const ClassBlocks& x, bool positive, Context& context);

// For classes k < l, at the place class_pair(k, l, classes): the closest pair of rows, the first of
// class k, again with or without pairs that coincide; none where there is no such pair.
std::vector<RowPair> closest_pairs(const ClassBlocks& x, bool positive, Context& context);

// In the same order: the mean distance (not squared); 0 for an empty class.
std::vector<double> mean_distances(const ClassBlocks& x, Context& context);

inline index_t class_pair(index_t k, index_t l, index_t classes) {
  return k * (2 * classes - k - 1) / 2 + l - k - 1;
}

}  // namespace flexkern

#endif
