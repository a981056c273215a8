// The nearest point of another class for each point. The other blocks come in the order of their
// boxes' distance, until the box is farther than every neighbour found.
#include <algorithm>
#include <limits>

#include "class_distance.h"
#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Candidate {
  double bound;
  index_t block;
  bool operator<(const Candidate& other) const {
    return bound < other.bound || (bound == other.bound && block < other.block);
  }
};

// The neighbours of the points of one block.
class Neighbours {
 public:
  Neighbours(const ClassBlocks& x, index_t block, bool positive)
      : x_(x), block_(block), first_(x.begin(block)), positive_(positive) {
    for (index_t i = first_; i < x.begin(block + 1); ++i)
      best_.push_back({kInfinity, x.row(i), -1});
  }

  // The nearest box first: it makes the bounds for all others.
  void search(Context& context) {
    std::vector<Candidate> others = candidates();
    if (others.empty()) return;
    std::iter_swap(others.begin(), std::min_element(others.begin(), others.end()));
    scan(others.front().block);
    const double reach = farthest() * kPruneMargin;
    const auto end = std::remove_if(others.begin() + 1, others.end(),
                                    [&](const Candidate& c) { return c.bound > reach; });
    std::sort(others.begin() + 1, end);
    for (auto c = others.begin() + 1; c < end && c->bound <= farthest() * kPruneMargin; ++c) {
      context.check();
      scan(c->block);
    }
  }

  void store(std::vector<RowPair>& out) const {
    for (const RowPair& pair : best_) out[static_cast<std::size_t>(pair.first)] = pair;
  }

 private:
  std::vector<Candidate> candidates() const {
    std::vector<Candidate> out;
    const index_t own = x_.class_of(block_);
    for (index_t b = 0; b < x_.blocks(); ++b)
      if (x_.class_of(b) != own) out.push_back({x_.lower_bound(block_, b), b});
    return out;
  }

  void scan(index_t other) {
    x_.tiles().near(
        block_, other, [&](index_t i) { return at(i).distance * kPruneMargin; },
        [&](index_t i, index_t j) {
          const double d = x_.distance(i, j, at(i).distance);
          const RowPair found{d, x_.row(i), x_.row(j)};
          if (positive_ && d == 0) return;
          if (at(i).second < 0 || d < at(i).distance ||
              (d == at(i).distance && found.before(at(i))))
            at(i) = found;
        });
  }

  RowPair& at(index_t i) { return best_[static_cast<std::size_t>(i - first_)]; }
  double farthest() const {
    double most = 0;
    for (const RowPair& pair : best_) most = std::max(most, pair.distance);
    return most;
  }

  const ClassBlocks& x_;
  index_t block_, first_;
  bool positive_;
  std::vector<RowPair> best_;
};

}  // namespace

std::vector<RowPair> nearest_other(const ClassBlocks& x, bool positive, Context& context) {
  std::vector<RowPair> out(static_cast<std::size_t>(x.begin(x.blocks())));
  parallel_for(x.blocks(), context.threads, context, [&](index_t b, int) {
    Neighbours neighbours(x, b, positive);
    neighbours.search(context);
    neighbours.store(out);
  });
  return out;
}

}  // namespace flexkern
