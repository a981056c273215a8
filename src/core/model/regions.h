// Many small Voronoi regions of similar size, out of which the cells of a bounded partition are
// built.
#ifndef FLEXKERN_MODEL_REGIONS_H
#define FLEXKERN_MODEL_REGIONS_H

#include <cstdint>
#include <map>
#include <vector>

#include "assign.h"
#include "core/base/context.h"
#include "core/base/rng.h"
#include "distance.h"

namespace flexkern {

struct Regions {
  std::vector<std::int32_t> centers;    // rows; no region is empty
  std::vector<NearestCenter::Hit> hit;  // nearest centre of each row
  std::vector<index_t> sizes() const;
};

// Regions of at most max_cell rows each, except that identical rows stay together.
Regions make_regions(const PackedRows& rows, index_t max_cell, Rng& rng, Context& context);

// Which regions touch, and how much: the number of rows whose two nearest centres are theirs.
struct RegionGraph {
  using Borders = std::map<std::int32_t, double>;
  std::vector<index_t> size;
  std::vector<Borders> borders;
};
RegionGraph region_graph(const PackedRows& rows, const Regions& regions, Context& context);

}  // namespace flexkern

#endif
