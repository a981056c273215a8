#include "margin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/parallel.h"

namespace flexkern {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Members = std::vector<std::vector<std::int32_t>>;

Members members(const std::vector<std::int32_t>& group, std::size_t groups) {
  Members rows(groups);
  for (std::size_t i = 0; i < group.size(); ++i)
    rows[group[i]].push_back(static_cast<std::int32_t>(i));
  return rows;
}

// What all cells share.
struct Regions {
  const PackedRows& rows;
  const Partition& partition;
  Members of_region, of_cell;      // rows of each region, regions of each cell
  std::vector<double> own_square;  // squared distance of each row to its region's centre
  Row center(std::int32_t a) const { return rows.row(partition.centers[a]); }
};

// The nearest rows to one cell that have been seen so far.
class Nearest {
 public:
  explicit Nearest(std::size_t count) : count_(count) {}
  double reach() const { return heap_.size() < count_ ? kInfinity : heap_.front().first; }
  void see(double distance, std::int32_t row) {
    const std::pair<double, std::int32_t> seen{distance, row};
    if (heap_.size() == count_) {
      if (!(seen < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    heap_.push_back(seen);
    std::push_heap(heap_.begin(), heap_.end());
  }
  std::vector<std::int32_t> rows() const {
    std::vector<std::int32_t> out;
    for (const auto& seen : heap_) out.push_back(seen.second);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::size_t count_;
  std::vector<std::pair<double, std::int32_t>> heap_;
};

class Search {
 public:
  Search(const Regions& regions, std::size_t cell, std::size_t count)
      : regions_(regions), inside_(regions.of_cell[cell]), nearest_(count) {
    for (std::size_t b = 0; b < regions.of_region.size(); ++b)
      if (regions.partition.cell_of_center[b] != static_cast<std::int32_t>(cell))
        outside_.push_back(measure(static_cast<std::int32_t>(b)));
    std::sort(outside_.begin(), outside_.end(),
              [](const Outside& u, const Outside& v) { return u.least < v.least; });
  }

  std::vector<std::int32_t> run() {
    for (const Outside& region : outside_)
      for (const std::int32_t i : regions_.of_region[region.index]) see(region, i);
    return nearest_.rows();
  }

 private:
  // A region of another cell, and its centre's distances to those inside.
  struct Outside {
    std::int32_t index;
    std::vector<double> between;
    double least;
  };

  Outside measure(std::int32_t b) const {
    Outside region{b, {}, kInfinity};
    for (const std::int32_t a : inside_) {
      const double square = squared_distance(regions_.center(a), regions_.center(b), kInfinity);
      region.between.push_back(std::sqrt(square));
      region.least = std::min(region.least, region.between.back());
    }
    return region;
  }

  // Whether a row at distance `own` from its centre may be within reach of the plane between two
  // centres: by the triangle inequality it is at least between / 2 - own away from it.
  static bool may_reach(double between, double own, double reach) {
    return between / 2 < (own + reach) * kPruneMargin;
  }

  void see(const Outside& region, std::int32_t i) {
    const double square = regions_.own_square[i], own = std::sqrt(square);
    double least = kInfinity;
    if (!may_reach(region.least, own, nearest_.reach())) return;
    for (std::size_t k = 0; k < inside_.size(); ++k) {
      const double between = region.between[k];
      if (!may_reach(between, own, std::min(least, nearest_.reach()))) continue;
      const double other =
          squared_distance(regions_.rows.row(i), regions_.center(inside_[k]), kInfinity);
      least = std::min(least, (other - square) / (2 * between));
    }
    if (least < kInfinity) nearest_.see(least, i);
  }

  const Regions& regions_;
  const std::vector<std::int32_t>& inside_;
  std::vector<Outside> outside_;
  Nearest nearest_;
};

}  // namespace

Members make_margins(const PackedRows& rows, const Partition& partition, double overlap,
                     Context& context) {
  const auto cells =
      static_cast<std::size_t>(1 + *std::max_element(partition.cell.begin(), partition.cell.end()));
  Members margins(cells);
  if (cells == 1 || overlap <= 0) return margins;
  Regions regions{rows,
                  partition,
                  members(partition.region, partition.centers.size()),
                  members(partition.cell_of_center, cells),
                  {}};
  for (index_t i = 0; i < rows.rows(); ++i)
    regions.own_square.push_back(
        squared_distance(rows.row(i), regions.center(partition.region[i]), kInfinity));
  std::vector<index_t> size(cells, 0);
  for (const std::int32_t c : partition.cell) ++size[c];
  context.start_phase("margins of the cells", static_cast<double>(cells));
  parallel_for(static_cast<index_t>(cells), context.threads, context, [&](index_t c, int) {
    const auto wanted = static_cast<index_t>(std::llround(overlap * static_cast<double>(size[c])));
    const index_t count = std::min(wanted, rows.rows() - size[c]);
    if (count > 0) margins[c] = Search(regions, c, static_cast<std::size_t>(count)).run();
    context.advance(1);
  });
  return margins;
}

}  // namespace flexkern
