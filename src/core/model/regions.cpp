#include "regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/parallel.h"

namespace flexkern {

namespace {

constexpr index_t kBlock = 256;
constexpr index_t kSampleMin = 50000, kSamplePerRegion = 32;
constexpr int kMedoidSteps = 2;
// The two rows of a region are equally far from their mean; rounding must not decide between them.
constexpr double kTie = 1 - 1e-9;

// Borders follow the data the better the finer the regions, but every prediction searches all
// centres: 32 to a cell, 16 where that would be very many.
index_t region_count(index_t rows, index_t max_cell) {
  const double cells = std::ceil(static_cast<double>(rows) / static_cast<double>(max_cell));
  if (cells <= 1) return 1;
  const double wanted = std::max(16 * cells, std::min(64 * cells, 1024.0));
  return std::max<index_t>(1,
                           static_cast<index_t>(std::min(wanted, static_cast<double>(rows) / 4)));
}

// Rows that are nearer to one of the centres from `first` on go over to it.
void assign_from(const PackedRows& rows, std::size_t first, Regions& regions, Context& context) {
  const std::vector<std::int32_t> added(
      regions.centers.begin() + static_cast<std::ptrdiff_t>(first), regions.centers.end());
  const NearestCenter search(PackedRows(rows, added), rows.rows(), context);
  const index_t blocks = (rows.rows() + kBlock - 1) / kBlock;
  context.start_phase("regions of the partition", static_cast<double>(blocks));
  parallel_for(blocks, context.threads, context, [&](index_t b, int) {
    const index_t end = std::min(rows.rows(), (b + 1) * kBlock);
    for (index_t i = b * kBlock; i < end; ++i) {
      NearestCenter::Hit hit = search.find(rows.row(i));
      if (!(hit.squared_distance < regions.hit[i].squared_distance)) continue;
      hit.center += static_cast<std::int32_t>(first);
      regions.hit[i] = hit;
    }
    context.advance(1);
  });
}

void assign_all(const PackedRows& rows, Regions& regions, Context& context) {
  regions.hit.assign(rows.rows(), {0, std::numeric_limits<double>::infinity()});
  assign_from(rows, 0, regions, context);
}

// Centres at the place of an earlier one have no rows.
void drop_empty(Regions& regions) {
  const std::vector<index_t> size = regions.sizes();
  std::vector<std::int32_t> renamed(size.size(), -1);
  std::int32_t kept = 0;
  for (std::size_t a = 0; a < size.size(); ++a) {
    if (size[a] == 0) continue;
    regions.centers[kept] = regions.centers[a];
    renamed[a] = kept++;
  }
  regions.centers.resize(kept);
  for (NearestCenter::Hit& h : regions.hit) h.center = renamed[h.center];
}

// The centre of each region moves to the row nearest to the region's mean.
void move_to_medoids(const PackedRows& rows, Regions& regions) {
  std::vector<std::vector<std::int32_t>> members(regions.centers.size());
  for (std::size_t i = 0; i < regions.hit.size(); ++i)
    members[regions.hit[i].center].push_back(static_cast<std::int32_t>(i));
  RowMean mean(rows);
  for (std::size_t a = 0; a < members.size(); ++a) {
    for (const std::int32_t i : members[a])
      mean.add(rows.row(i), static_cast<double>(members[a].size()));
    double best = std::numeric_limits<double>::infinity();
    for (const std::int32_t i : members[a]) {
      const double d = mean.squared_distance(rows.row(i), best);
      if (d >= best * kTie) continue;
      best = d;
      regions.centers[a] = i;
    }
    mean.clear();
  }
}

// Adds random rows of each region above `limit` as centres, one per `usual` rows; rows at the
// centre itself would change nothing. Returns whether any was added.
bool add_centers(Regions& regions, double limit, double usual, Rng& rng) {
  const std::vector<index_t> size = regions.sizes();
  std::vector<std::vector<std::int32_t>> away(size.size());
  for (std::size_t i = 0; i < regions.hit.size(); ++i) {
    const NearestCenter::Hit& h = regions.hit[i];
    if (static_cast<double>(size[h.center]) > limit && h.squared_distance > 0)
      away[h.center].push_back(static_cast<std::int32_t>(i));
  }
  bool added = false;
  for (std::size_t a = 0; a < size.size(); ++a) {
    if (away[a].empty()) continue;
    rng.shuffle(away[a]);
    const auto more = static_cast<std::size_t>(std::ceil(static_cast<double>(size[a]) / usual));
    away[a].resize(std::min(away[a].size(), more));
    regions.centers.insert(regions.centers.end(), away[a].begin(), away[a].end());
    added = true;
  }
  return added;
}

void split_large(const PackedRows& rows, Regions& regions, double limit, double usual, Rng& rng,
                 Context& context) {
  for (std::size_t known = regions.centers.size(); add_centers(regions, limit, usual, rng);
       known = regions.centers.size()) {
    assign_from(rows, known, regions, context);
    drop_empty(regions);
  }
}

std::vector<std::int32_t> sample_rows(index_t rows, index_t regions, Rng& rng) {
  std::vector<std::int32_t> sample(rows);
  std::iota(sample.begin(), sample.end(), 0);
  rng.shuffle(sample);
  sample.resize(std::min(rows, std::max(kSampleMin, kSamplePerRegion * regions)));
  return sample;
}

// Random rows as centres give regions of similar size; a few steps towards medoids make them
// compact.
Regions regions_of_sample(const PackedRows& rows, index_t count, double limit, Rng& rng,
                          Context& context) {
  Regions regions;
  regions.centers.resize(count);
  std::iota(regions.centers.begin(), regions.centers.end(), 0);
  for (int step = 0; step <= kMedoidSteps; ++step) {
    if (step > 0) move_to_medoids(rows, regions);
    assign_all(rows, regions, context);
    drop_empty(regions);
  }
  const double usual = static_cast<double>(rows.rows()) / static_cast<double>(count);
  split_large(rows, regions, limit, usual, rng, context);
  return regions;
}

}  // namespace

std::vector<index_t> Regions::sizes() const {
  std::vector<index_t> size(centers.size(), 0);
  for (const NearestCenter::Hit& h : hit) ++size[h.center];
  return size;
}

Regions make_regions(const PackedRows& rows, index_t max_cell, Rng& rng, Context& context) {
  const index_t n = rows.rows(), count = region_count(n, max_cell);
  const std::vector<std::int32_t> sample = sample_rows(n, count, rng);
  // Regions of up to a third of a cell can still be put together tightly.
  const double share = static_cast<double>(sample.size()) / static_cast<double>(n);
  const double limit = count == 1 ? static_cast<double>(n)
                                  : std::max(1.0, share * static_cast<double>(max_cell) / 3);
  Regions regions = regions_of_sample(PackedRows(rows, sample), count, limit, rng, context);
  for (std::int32_t& c : regions.centers) c = sample[c];
  assign_all(rows, regions, context);
  drop_empty(regions);
  const double usual = static_cast<double>(n) / static_cast<double>(count);
  split_large(rows, regions, static_cast<double>(max_cell), usual, rng, context);
  return regions;
}

RegionGraph region_graph(const PackedRows& rows, const Regions& regions, Context& context) {
  const auto m = static_cast<index_t>(regions.centers.size());
  RegionGraph graph{regions.sizes(), std::vector<RegionGraph::Borders>(m)};
  const index_t n = rows.rows(), count = std::min(n, std::max(kSampleMin, kSamplePerRegion * m));
  const NearestCenter search(PackedRows(rows, regions.centers), count, context);
  std::vector<std::int32_t> second(count);
  const auto row_of = [&](index_t k) {
    return static_cast<index_t>(static_cast<double>(k) * static_cast<double>(n) /
                                static_cast<double>(count));
  };
  parallel_for((count + kBlock - 1) / kBlock, context.threads, context, [&](index_t b, int) {
    for (index_t k = b * kBlock; k < std::min(count, (b + 1) * kBlock); ++k)
      second[k] = search.find_second(rows.row(row_of(k)), regions.hit[row_of(k)]).center;
  });
  for (index_t k = 0; k < count; ++k) {
    if (second[k] < 0) continue;
    const std::int32_t first = regions.hit[row_of(k)].center;
    graph.borders[first][second[k]] += 1;
    graph.borders[second[k]][first] += 1;
  }
  return graph;
}

}  // namespace flexkern
