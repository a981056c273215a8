// Base quantities of a kernel between one panel of points and groups of others: squared distances
// or inner products, in double precision.
#ifndef FLEXKERN_DEVICE_CPU_PAIRWISE_H
#define FLEXKERN_DEVICE_CPU_PAIRWISE_H

#include <memory>
#include <vector>

#include "core/kernel/kernel.h"
#include "pack.h"
#include "sparse_dots.h"

namespace flexkern {

class NodePairs;
struct PackedLeaves;

// What the base quantity of a pair takes from each of its points alone: the squared norm for a
// distance, the term of the shift for an inner product.
std::vector<double> own_terms(const Points& x, bool distance);

// The right-hand points of a product, packed once: in groups, or by columns if they are sparse.
class PackedPoints {
 public:
  PackedPoints(const Points& x, bool distance, const Micro& micro);
  PackedPoints(PackedPoints&&);
  ~PackedPoints();
  const Points& points() const { return x_; }
  index_t size() const { return x_.rows(); }
  index_t width() const { return width_; }
  bool distance() const { return distance_; }
  const double* group(index_t g) const { return groups_.data() + g * width_ * x_.cols(); }
  SparseRef columns() const { return columns_.ref(); }
  double own(index_t i) const { return own_[static_cast<std::size_t>(i)]; }
  const PackedLeaves* leaves() const { return leaves_.get(); }

 private:
  Points x_;
  bool distance_;
  index_t width_;
  Buffer<double> groups_;
  SparseRows columns_;
  std::vector<double> own_;
  std::unique_ptr<PackedLeaves> leaves_;  // under a hierarchy, instead of the rest
};

// Works through the panels of x; one object per thread.
class PanelPairs {
 public:
  PanelPairs(const Points& x, const PackedPoints& others, const Micro& micro);
  ~PanelPairs();
  // Makes rows [16 p, 16 p + 16) of x the current panel.
  void select(index_t p);
  // Base quantities of the current panel with points [first, last) of the others, 16 values a
  // point; first is a multiple of the group width.
  void evaluate(index_t first, index_t last, double* out);

 private:
  void dots(index_t first, index_t count);
  void recompute(index_t j, double* out) const;
  Points x_;
  const PackedPoints& others_;
  const Micro& micro_;
  index_t begin_ = 0;
  std::unique_ptr<SparseDots> sparse_;
  std::unique_ptr<NodePairs> nodes_;
  Buffer<double> panel_, dot_;
  double own_[kPanel] = {};
};

// k(u, u) of each point.
std::vector<double> kernel_diagonal(const Points& x, const Kernel& kernel, const Micro& micro);

// values = kernel(base); n is a multiple of 16. In and out may be the same.
void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const float* base,
                  float* values);
void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const double* base,
                  double* values);

}  // namespace flexkern

#endif
