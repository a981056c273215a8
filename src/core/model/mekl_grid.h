// The grid of penalties of one machine, and how it grows while the least loss lies at its edge.
#ifndef FLEXKERN_MODEL_MEKL_GRID_H
#define FLEXKERN_MODEL_MEKL_GRID_H

#include <cstddef>
#include <limits>
#include <vector>

namespace flexkern {

// (c, lambda), or (cost, D) of SVM-2K.
struct MeklPair {
  double first, second;
};

// The values of one penalty; `open` where some may be added beyond both ends.
struct MeklAxis {
  std::vector<double> values;
  bool open = false;
};

struct MeklTrial {
  MeklPair pair;
  double error, loss;  // on held-out rows: rate, mean clipped loss
};

class MeklGrid {
 public:
  MeklGrid(const MeklAxis& first, const MeklAxis& second);

  // The loss above which little is learned: the first axis then grows at both ends, wherever on it
  // the least loss lies.
  void set_poor(double loss) { poor_ = loss; }
  bool is_search() const { return is_search_; }
  // The pairs to try next: at first all; none once the least loss is not at an edge that may move.
  const std::vector<MeklPair>& waiting() const { return waiting_; }
  // One trial for each of them.
  void record(const std::vector<MeklTrial>& trials);
  // The pair of the least loss, and of the fewest errors among these; untried, the first one.
  MeklPair chosen() const { return trials_.empty() ? waiting_[0] : best().pair; }
  const MeklTrial& best() const { return trials_[best_]; }
  // All trials in the order of the values: for each of the first axis all of the second.
  std::vector<MeklTrial> surface() const;
  const std::vector<double>& values(int axis) const { return axes_[axis].values; }
  // Where the best pair lies on an axis: -1 at the smaller end, 1 at the larger, the loss falling
  // towards it; else 0.
  int edge(int axis) const;

 private:
  const MeklTrial* find(MeklPair pair) const;
  bool grow(int axis);
  bool grow(int axis, int side);
  void wait();

  MeklAxis axes_[2];
  bool is_search_;
  std::vector<MeklTrial> trials_;
  std::vector<MeklPair> waiting_;
  std::size_t best_ = 0;
  double poor_ = std::numeric_limits<double>::infinity();
};

}  // namespace flexkern

#endif
