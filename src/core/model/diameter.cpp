// Class diameters: a farthest pair found by a few sweeps is the bar; pairs of blocks whose boxes
// cannot reach it are left out, the others go through the tiles.
#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>

#include "class_distance.h"
#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Diameter {
 public:
  void reset(const RowPair& pair) {
    best_ = pair;
    bar_ = pair.distance;
  }
  double bar() const { return bar_.load(std::memory_order_relaxed); }
  void raise(double distance) {
    double seen = bar();
    while (seen < distance && !bar_.compare_exchange_weak(seen, distance)) {
    }
  }
  void merge(const RowPair& pair) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (better(pair, best_)) best_ = pair;
  }
  const RowPair& best() const { return best_; }

  static bool better(const RowPair& a, const RowPair& b) {
    if (a.none() || b.none()) return b.none() && !a.none();
    return a.distance > b.distance || (a.distance == b.distance && a.before(b));
  }

 private:
  std::atomic<double> bar_{0.0};
  std::mutex mutex_;
  RowPair best_;
};

RowPair rows_of(const ClassBlocks& x, index_t i, index_t j, double distance) {
  const std::int32_t a = x.row(i), b = x.row(j);
  return {distance, std::min(a, b), std::max(a, b)};
}

// The first two rows of a class whose points all coincide.
RowPair first_rows(const ClassBlocks& x, index_t first, index_t last) {
  std::vector<std::int32_t> rows;
  for (index_t i = first; i < last; ++i) rows.push_back(x.row(i));
  std::partial_sort(rows.begin(), rows.begin() + 2, rows.end());
  return {0, rows[0], rows[1]};
}

// From one point to the farthest, and on from there.
RowPair sweep(const ClassBlocks& x, index_t first, index_t last) {
  RowPair best;
  index_t from = first;
  for (int turn = 0; turn < 4; ++turn) {
    index_t farthest = from == first ? first + 1 : first;
    double reach = x.distance(from, farthest, kInfinity);
    for (index_t i = first; i < last; ++i) {
      const double d = i == from ? 0 : x.distance(from, i, kInfinity);
      if (d > reach) {
        reach = d;
        farthest = i;
      }
    }
    const RowPair found = rows_of(x, from, farthest, reach);
    if (Diameter::better(found, best)) best = found;
    from = farthest;
  }
  return best.distance == 0 ? first_rows(x, first, last) : best;
}

// Block a against those from a on in its class.
void search(const ClassBlocks& x, index_t a, Diameter& diameter, Context& context) {
  RowPair best;
  const auto bar = [&](index_t) { return diameter.bar() / kPruneMargin; };
  const auto visit = [&](index_t i, index_t j) {
    if (i == j) return;
    const RowPair found = rows_of(x, i, j, x.distance(i, j, kInfinity));
    if (found.distance < diameter.bar() || !Diameter::better(found, best)) return;
    best = found;
    diameter.raise(found.distance);
  };
  for (index_t b = a; b < x.first_block(x.class_of(a) + 1); ++b) {
    const double most = x.upper_bound(a, b);
    if (most == 0 || most * kPruneMargin < diameter.bar()) continue;
    context.check();
    x.tiles().far(a, b, bar, visit);
  }
  diameter.merge(best);
}

}  // namespace

std::vector<RowPair> diameters(const ClassBlocks& x, Context& context) {
  std::vector<Diameter> found(static_cast<std::size_t>(x.classes()));
  parallel_for(x.classes(), context.threads, context, [&](index_t k, int) {
    if (x.class_size(k) > 1)
      found[static_cast<std::size_t>(k)].reset(
          sweep(x, x.begin(x.first_block(k)), x.begin(x.first_block(k + 1))));
  });
  parallel_for(x.blocks(), context.threads, context, [&](index_t a, int) {
    search(x, a, found[static_cast<std::size_t>(x.class_of(a))], context);
  });
  std::vector<RowPair> out;
  for (const Diameter& d : found) out.push_back(d.best());
  return out;
}

}  // namespace flexkern
