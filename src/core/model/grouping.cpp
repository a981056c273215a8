#include "grouping.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "agglomerate.h"

namespace flexkern {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kSweeps = 20;
}  // namespace

Grouping::Grouping(const RegionGraph& graph, const PackedRows& centers, const CellBounds& bounds,
                   std::vector<std::int32_t> cell)
    : graph_(graph), centers_(centers), bounds_(bounds), cell_(std::move(cell)) {
  if (centers.is_sparse()) by_column_ = RowsByColumn(centers);
  rows_.assign(*std::max_element(cell_.begin(), cell_.end()) + 1, 0);
  for (std::size_t r = 0; r < cell_.size(); ++r) rows_[cell_[r]] += graph_.size[r];
}

std::vector<std::int32_t> Grouping::cells() const {
  std::vector<std::int32_t> cell = cell_;
  renumber(cell);
  return cell;
}

void Grouping::move(std::int32_t region, std::int32_t cell) {
  rows_[cell_[region]] -= graph_.size[region];
  rows_[cell] += graph_.size[region];
  cell_[region] = cell;
}

Grouping::Borders Grouping::borders_with_cells(std::int32_t region) const {
  Borders sum;
  for (const auto& border : graph_.borders[region]) sum[cell_[border.first]] += border.second;
  return sum;
}

std::vector<std::int32_t> Grouping::regions_of(std::int32_t cell) const {
  std::vector<std::int32_t> regions;
  for (std::size_t r = 0; r < cell_.size(); ++r)
    if (cell_[r] == cell) regions.push_back(static_cast<std::int32_t>(r));
  return regions;
}

std::vector<std::int32_t> Grouping::cells_by_size() const {
  std::vector<std::int32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return rows_[a] < rows_[b]; });
  return order;
}

void Grouping::dissolve_cells() {
  for (const std::int32_t c : cells_by_size())
    if (rows_[c] > 0 && rows_[c] <= bounds_.largest) dissolve(c);
}

// Moves all regions of a cell to its neighbours, or none.
bool Grouping::dissolve(std::int32_t cell) {
  const std::vector<std::int32_t> all = regions_of(cell);
  std::vector<std::int32_t> left = all;
  while (!left.empty()) {
    const Move exit = best_exit(left);
    if (exit.cell < 0) {
      for (const std::int32_t r : all) move(r, cell);
      return false;
    }
    move(exit.region, exit.cell);
    left.erase(std::find(left.begin(), left.end(), exit.region));
  }
  return true;
}

// Of these regions of one cell, the one with the longest border to another cell that has room for
// it.
Grouping::Move Grouping::best_exit(const std::vector<std::int32_t>& regions) const {
  Move best;
  for (const std::int32_t r : regions)
    for (const auto& border : borders_with_cells(r))
      if (border.first != cell_[r] && fits(graph_.size[r], border.first) &&
          border.second > best.gain)
        best = {r, border.first, border.second};
  return best;
}

void Grouping::shorten_borders() {
  for (int sweep = 0; sweep < kSweeps && shorten_once(); ++sweep) {
  }
}

bool Grouping::shorten_once() {
  bool moved = false;
  for (std::int32_t r = 0; r < static_cast<std::int32_t>(cell_.size()); ++r) {
    const Borders borders = borders_with_cells(r);
    const auto own = borders.find(cell_[r]);
    const double inside = own == borders.end() ? 0 : own->second;
    Move best;
    for (const auto& border : borders)
      if (border.first != cell_[r] && fits(graph_.size[r], border.first) &&
          border.second - inside > best.gain)
        best = {r, border.first, border.second - inside};
    if (best.cell < 0) continue;
    move(r, best.cell);
    moved = true;
  }
  return moved;
}

void Grouping::enlarge_small() {
  for (const std::int32_t c : cells_by_size()) {
    if (rows_[c] == 0 || rows_[c] >= bounds_.smallest || join_nearest(c, false)) continue;
    std::vector<double> distance = distances_to(c);
    while (rows_[c] < bounds_.smallest && take_region(c, distance)) {
    }
    if (rows_[c] < bounds_.required) join_nearest(c, true);
  }
}

// Squared distance of each region's centre to the nearest centre of the cell.
std::vector<double> Grouping::distances_to(std::int32_t cell) const {
  std::vector<double> distance(cell_.size(), kInfinity);
  for (const std::int32_t r : regions_of(cell)) lower_to(r, distance);
  return distance;
}

// The same when one more region is in the cell.
void Grouping::lower_to(std::int32_t region, std::vector<double>& distance) const {
  const Row center = centers_.row(region);
  const bool sparse = centers_.is_sparse();
  const std::vector<double> known = sparse ? by_column_.squared_distances(center) : distance;
  for (std::size_t s = 0; s < cell_.size(); ++s)
    distance[s] = std::min(distance[s],
                           sparse ? known[s] : squared_distance(center, centers_.row(s), known[s]));
}

// Joins the nearest cell with room for it, or the nearest of those that are too large anyway.
bool Grouping::join_nearest(std::int32_t cell, bool into_too_large) {
  const std::vector<double> distance = distances_to(cell);
  std::int32_t best = -1;
  for (std::size_t s = 0; s < cell_.size(); ++s) {
    const bool room =
        into_too_large ? rows_[cell_[s]] > bounds_.largest : fits(rows_[cell], cell_[s]);
    if (cell_[s] != cell && room && (best < 0 || distance[s] < distance[best]))
      best = static_cast<std::int32_t>(s);
  }
  if (best < 0) return false;
  for (const std::int32_t r : regions_of(cell)) move(r, cell_[best]);
  return true;
}

// Takes the nearest region that leaves its cell large enough.
bool Grouping::take_region(std::int32_t cell, std::vector<double>& distance) {
  std::int32_t best = -1;
  for (std::size_t s = 0; s < cell_.size(); ++s) {
    const bool spare = rows_[cell_[s]] - graph_.size[s] >= bounds_.smallest;
    if (cell_[s] != cell && spare && fits(graph_.size[s], cell) &&
        (best < 0 || distance[s] < distance[best]))
      best = static_cast<std::int32_t>(s);
  }
  if (best < 0) return false;
  move(best, cell);
  lower_to(best, distance);
  return true;
}

}  // namespace flexkern
