// Closest pairs and mean distances of all pairs of classes.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "class_distance.h"
#include "core/base/error.h"
#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

index_t pairs_of(index_t classes, double bytes_each, const Context& context) {
  const index_t pairs = classes * (classes - 1) / 2;
  if (static_cast<double>(pairs) * bytes_each > context.memory)
    throw MemoryBudgetError(
        "the table of all pairs of classes does not fit into the memory budget");
  return pairs;
}

// The closest pairs so far: distances that all threads see, and the rows behind a lock.
class Closest {
 public:
  explicit Closest(index_t pairs) : bar_(at(pairs)), best_(at(pairs)) {
    for (auto& bar : bar_) bar = kInfinity;
  }
  double bar(index_t pair) const { return bar_[at(pair)].load(std::memory_order_relaxed); }
  // Whether this distance would be the closest or equal to it; then the bar is lowered to it.
  bool lower(index_t pair, double distance) {
    double seen = bar(pair);
    while (distance < seen && !bar_[at(pair)].compare_exchange_weak(seen, distance)) {
    }
    return distance <= seen;
  }
  void merge(index_t pair, const RowPair& found) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (better(found, best_[at(pair)])) best_[at(pair)] = found;
  }
  std::vector<RowPair> take() { return std::move(best_); }

  static bool better(const RowPair& a, const RowPair& b) {
    if (b.none()) return true;
    return a.distance < b.distance || (a.distance == b.distance && a.before(b));
  }

 private:
  std::vector<std::atomic<double>> bar_;
  std::mutex mutex_;
  std::vector<RowPair> best_;
};

// Block a against the blocks of one later class, the nearest box first.
void search(const ClassBlocks& x, index_t a, index_t other, bool positive, Closest& closest,
            Context& context) {
  const index_t pair = class_pair(x.class_of(a), other, x.classes());
  std::vector<std::pair<double, index_t>> boxes;
  for (index_t b = x.first_block(other); b < x.first_block(other + 1); ++b) {
    const double least = x.lower_bound(a, b);
    if (least <= closest.bar(pair) * kPruneMargin) boxes.emplace_back(least, b);
  }
  std::sort(boxes.begin(), boxes.end());
  RowPair best;
  const auto bar = [&](index_t) { return closest.bar(pair) * kPruneMargin; };
  const auto visit = [&](index_t i, index_t j) {
    const RowPair found{x.distance(i, j, closest.bar(pair)), x.row(i), x.row(j)};
    if (positive && found.distance == 0) return;
    if (closest.lower(pair, found.distance) && Closest::better(found, best)) best = found;
  };
  for (const auto& box : boxes) {
    if (box.first > closest.bar(pair) * kPruneMargin) break;
    context.check();
    x.tiles().near(a, box.second, bar, visit);
  }
  if (!best.none()) closest.merge(pair, best);
}

// Sums of the distances of block a's points to those of each later class.
void add_distances(const ClassBlocks& x, index_t a, double* sums, Context& context) {
  for (index_t b = x.first_block(x.class_of(a) + 1); b < x.blocks(); ++b) {
    context.check();
    double sum = 0;
    for (index_t i = x.begin(a); i < x.begin(a + 1); ++i)
      for (index_t j = x.begin(b); j < x.begin(b + 1); ++j)
        sum += std::sqrt(x.distance(i, j, kInfinity));
    sums[x.class_of(b)] += sum;
  }
}

}  // namespace

std::vector<RowPair> closest_pairs(const ClassBlocks& x, bool positive, Context& context) {
  Closest closest(pairs_of(x.classes(), sizeof(RowPair) + sizeof(double), context));
  parallel_for(x.blocks(), context.threads, context, [&](index_t a, int) {
    for (index_t l = x.class_of(a) + 1; l < x.classes(); ++l)
      search(x, a, l, positive, closest, context);
  });
  return closest.take();
}

std::vector<double> mean_distances(const ClassBlocks& x, Context& context) {
  const index_t classes = x.classes();
  std::vector<double> mean(at(pairs_of(classes, sizeof(double), context)), 0.0);
  // Class after class, so that the sums of one class's blocks are all that is kept.
  for (index_t k = 0; k < classes; ++k) {
    const index_t first = x.first_block(k), count = x.first_block(k + 1) - first;
    std::vector<double> sums(at(count * classes), 0.0);
    parallel_for(count, context.threads, context, [&](index_t b, int) {
      add_distances(x, first + b, sums.data() + b * classes, context);
    });
    for (index_t l = k + 1; l < classes; ++l) {
      const double pairs = static_cast<double>(x.class_size(k) * x.class_size(l));
      for (index_t b = 0; b < count; ++b)
        if (pairs > 0) mean[at(class_pair(k, l, classes))] += sums[at(b * classes + l)] / pairs;
    }
  }
  return mean;
}

}  // namespace flexkern
