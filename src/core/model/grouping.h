// Improves a grouping of regions to cells: fewer cells, shorter borders, none too small.
#ifndef FLEXKERN_MODEL_GROUPING_H
#define FLEXKERN_MODEL_GROUPING_H

#include <cstdint>
#include <vector>

#include "distance.h"
#include "regions.h"

namespace flexkern {

struct CellBounds {
  index_t required;  // smaller cells are of no use
  index_t smallest;  // smaller cells are avoided where the largest size allows it
  index_t largest;
};

class Grouping {
 public:
  // `centers` are the regions' centres; `cell` is the cell of each region.
  Grouping(const RegionGraph& graph, const PackedRows& centers, const CellBounds& bounds,
           std::vector<std::int32_t> cell);

  void dissolve_cells();   // empties the smallest cells, where their regions fit elsewhere
  void shorten_borders();  // moves regions to the cell they share more border with
  void enlarge_small();    // cells below the bound join another, or take regions from it

  std::vector<std::int32_t> cells() const;

 private:
  using Borders = RegionGraph::Borders;
  struct Move {
    std::int32_t region = -1, cell = -1;
    double gain = 0;
  };
  void move(std::int32_t region, std::int32_t cell);
  bool fits(index_t rows, std::int32_t cell) const { return rows_[cell] + rows <= bounds_.largest; }
  Borders borders_with_cells(std::int32_t region) const;
  std::vector<std::int32_t> regions_of(std::int32_t cell) const;
  std::vector<std::int32_t> cells_by_size() const;
  bool dissolve(std::int32_t cell);
  Move best_exit(const std::vector<std::int32_t>& regions) const;
  bool shorten_once();
  bool join_nearest(std::int32_t cell, bool into_too_large);
  bool take_region(std::int32_t cell, std::vector<double>& distance);
  std::vector<double> distances_to(std::int32_t cell) const;
  void lower_to(std::int32_t region, std::vector<double>& distance) const;

  const RegionGraph& graph_;
  const PackedRows& centers_;
  RowsByColumn by_column_;  // sparse centres
  CellBounds bounds_;
  std::vector<std::int32_t> cell_;
  std::vector<index_t> rows_;  // in each cell
};

}  // namespace flexkern

#endif
