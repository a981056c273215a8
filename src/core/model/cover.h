// Farthest-first traversal: a cover of the rows by balls around few of them, and the Voronoi
// partition that its centres induce.
#ifndef FLEXKERN_MODEL_COVER_H
#define FLEXKERN_MODEL_COVER_H

#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/context.h"
#include "distance.h"

namespace flexkern {

struct Cover {
  std::vector<std::int32_t> centers;     // rows, in the order of their choice
  std::vector<std::int32_t> cell;        // nearest centre of each row, ties to the smallest
  std::vector<double> squared_distance;  // to that centre
  double radius() const;                 // largest distance of a row to its centre
};

struct CoverLimits {
  double radius = 0;  // no more centres once every row is this near to one
  index_t centers = std::numeric_limits<index_t>::max();
};

// Adds centres, starting at row `first`, until one of the limits holds.
Cover farthest_first(const PackedRows& rows, index_t first, const CoverLimits& limits,
                     Context& context);

}  // namespace flexkern

#endif
