// A low-rank factor of a Gram matrix.
#ifndef FLEXKERN_SOLVER_PIVOTED_CHOLESKY_H
#define FLEXKERN_SOLVER_PIVOTED_CHOLESKY_H

#include <limits>
#include <vector>

#include "core/base/rng.h"
#include "core/device/device.h"

namespace flexkern {

// When a factor ends: at `capacity` columns, or once the trace of K - L L' falls to `enough`, or as
// soon as its pace tells that more than `most` would be left at the capacity.
struct RankLimits {
  index_t capacity;
  double enough;
  double most = std::numeric_limits<double>::infinity();
};

// K ~ L L' by Cholesky with random pivots, each drawn in proportion to what is left of the diagonal
// (Chen, Epperly, Tropp and Webber 2023), many at a time.
class PivotedCholesky {
 public:
  PivotedCholesky(const Points& x, const Kernel& kernel, const Device& device,
                  const RankLimits& limits, int threads, Context& context);
  index_t rank() const { return rank_; }
  index_t capacity() const { return capacity_; }
  // The trace of K - L L', which bounds its norm.
  double left() const;
  // Rows [16 p, 16 p + 16) of L: row r of column j is at [16 j + r]; zero beyond the points.
  const double* panel(index_t p) const { return values_.data() + p * capacity_ * kPanel; }

 private:
  std::vector<index_t> draw(index_t count);
  void residual_columns(const std::vector<index_t>& pivots);
  std::vector<double> reduce(const std::vector<index_t>& pivots, std::vector<index_t>& kept) const;
  void append(const std::vector<double>& inverse, const std::vector<index_t>& kept);

  Points x_;
  Kernel kernel_;
  const Device& device_;
  const Micro& micro_;
  index_t n_, stride_, capacity_, rank_ = 0;
  int threads_;
  Context& context_;
  Rng rng_;
  std::vector<double> diagonal_;  // of K - L L'
  double largest_ = 0;
  Buffer<double> values_, columns_;
};

}  // namespace flexkern

#endif
