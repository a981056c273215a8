#include "cover.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/parallel.h"

namespace flexkern {

namespace {

constexpr index_t kBlock = 2048;
constexpr index_t kWorthThreads = 32768;

// The row farthest from its centre; of equally far ones the smallest.
struct Farthest {
  double distance = -1;
  std::int32_t row = 0;
  void see(double d, std::int32_t i) {
    if (d > distance || (d == distance && i < row)) *this = {d, i};
  }
};

// Part of a cell that a new centre may take rows from.
struct Block {
  std::int32_t cell;
  index_t begin, end;
  double between;  // squared distance of the new centre to the cell's
  index_t kept = 0;
  Farthest farthest;
  std::vector<std::int32_t> moved;
};

class Traversal {
 public:
  Traversal(const PackedRows& rows, Context& context) : rows_(rows), context_(context) {
    cover_.cell.assign(rows.rows(), 0);
    cover_.squared_distance.assign(rows.rows(), std::numeric_limits<double>::infinity());
  }

  Cover run(index_t first, const CoverLimits& limits) {
    start(static_cast<std::int32_t>(first));
    // Algorithm 1: while some row is farther than the radius, the farthest becomes a centre.
    for (Farthest next = farthest(); wanted(next, limits); next = farthest()) add(next.row);
    return std::move(cover_);
  }

 private:
  bool wanted(const Farthest& next, const CoverLimits& limits) const {
    return next.distance > 0 && std::sqrt(next.distance) > limits.radius &&
           static_cast<index_t>(cover_.centers.size()) < limits.centers;
  }

  Farthest farthest() const {
    Farthest all;
    for (const Farthest& f : farthest_) all.see(f.distance, f.row);
    return all;
  }

  void start(std::int32_t first) {
    std::vector<std::int32_t> everyone(rows_.rows());
    for (index_t i = 0; i < rows_.rows(); ++i) everyone[i] = static_cast<std::int32_t>(i);
    cover_.centers.push_back(first);
    std::vector<Block> blocks;
    members_.push_back(std::move(everyone));
    farthest_.emplace_back();
    split(0, 0.0, blocks);
    scan(blocks, first, 0);
    for (const Block& b : blocks) farthest_[0].see(b.farthest.distance, b.farthest.row);
  }

  void add(std::int32_t center) {
    context_.check();
    const auto fresh = static_cast<std::int32_t>(cover_.centers.size());
    std::vector<Block> blocks = candidates(center);
    cover_.centers.push_back(center);
    scan(blocks, center, fresh);
    members_.emplace_back();
    farthest_.emplace_back();
    collect(blocks, fresh);
    context_.advance(1);
  }

  // Only cells that reach more than half the way to the new centre can lose rows to it.
  std::vector<Block> candidates(std::int32_t center) const {
    std::vector<Block> blocks;
    const Row z = rows_.row(center);
    for (std::size_t c = 0; c < members_.size(); ++c) {
      const double reach = 4 * farthest_[c].distance * kPruneMargin;
      const double between = squared_distance(z, rows_.row(cover_.centers[c]), reach);
      if (between < reach) split(static_cast<std::int32_t>(c), between, blocks);
    }
    return blocks;
  }

  void split(std::int32_t cell, double between, std::vector<Block>& blocks) const {
    const auto size = static_cast<index_t>(members_[cell].size());
    for (index_t begin = 0; begin < size; begin += kBlock)
      blocks.push_back({cell, begin, std::min(size, begin + kBlock), between, 0, {}, {}});
  }

  void scan(std::vector<Block>& blocks, std::int32_t center, std::int32_t fresh) {
    index_t work = 0;
    for (const Block& b : blocks) work += b.end - b.begin;
    const int threads = work < kWorthThreads ? 1 : context_.threads;
    parallel_for(static_cast<index_t>(blocks.size()), threads, context_,
                 [&](index_t b, int) { scan_block(blocks[b], rows_.row(center), fresh); });
  }

  // Rows nearer to z move to the cell `fresh`; the others stay, in their order.
  void scan_block(Block& block, const Row& z, std::int32_t fresh) {
    std::int32_t* member = members_[block.cell].data();
    index_t kept = block.begin;
    for (index_t k = block.begin; k < block.end; ++k) {
      const std::int32_t i = member[k];
      double& own = cover_.squared_distance[i];
      if (may_be_nearer(block.between, own)) {
        const double d = squared_distance(rows_.row(i), z, own);
        if (d < own) {
          own = d;
          cover_.cell[i] = fresh;
          if (fresh > 0) {
            block.moved.push_back(i);
            continue;
          }
        }
      }
      block.farthest.see(own, i);
      member[kept++] = i;
    }
    block.kept = kept - block.begin;
  }

  // Closes the gaps that the moved rows left and gives them to the new cell.
  void collect(const std::vector<Block>& blocks, std::int32_t fresh) {
    for (std::size_t b = 0; b < blocks.size();) {
      const std::int32_t cell = blocks[b].cell;
      std::vector<std::int32_t>& member = members_[cell];
      index_t size = 0;
      farthest_[cell] = Farthest();
      for (; b < blocks.size() && blocks[b].cell == cell; ++b) {
        const Block& block = blocks[b];
        if (size != block.begin)
          std::copy_n(member.begin() + block.begin, block.kept, member.begin() + size);
        size += block.kept;
        farthest_[cell].see(block.farthest.distance, block.farthest.row);
        for (const std::int32_t i : block.moved) {
          members_[fresh].push_back(i);
          farthest_[fresh].see(cover_.squared_distance[i], i);
        }
      }
      member.resize(size);
    }
  }

  const PackedRows& rows_;
  Context& context_;
  Cover cover_;
  std::vector<std::vector<std::int32_t>> members_;
  std::vector<Farthest> farthest_;
};

}  // namespace

double Cover::radius() const {
  double largest = 0;
  for (const double d : squared_distance) largest = std::max(largest, d);
  return std::sqrt(largest);
}

Cover farthest_first(const PackedRows& rows, index_t first, const CoverLimits& limits,
                     Context& context) {
  require(rows.rows() > 0 && rows.rows() <= std::numeric_limits<std::int32_t>::max(),
          "a cover needs between 1 and 2^31 - 1 rows");
  require(first >= 0 && first < rows.rows(), "the first centre is not a row");
  return Traversal(rows, context).run(first, limits);
}

}  // namespace flexkern
