// Base quantities of a kernel between one panel of points and groups of others: squared distances
// or inner products, in double precision.
#ifndef FLEXKERN_DEVICE_CPU_PAIRWISE_H
#define FLEXKERN_DEVICE_CPU_PAIRWISE_H

#include <vector>

#include "core/kernel/kernel.h"
#include "pack.h"

namespace flexkern {

// The right-hand points of a product, packed once.
class PackedPoints {
 public:
  PackedPoints(ConstMatrixRef x, const Micro& micro)
      : x_(x), width_(micro.cols_f64), groups_(pack_points(x, width_)), norms_(squared_norms(x)) {}
  ConstMatrixRef points() const { return x_; }
  index_t size() const { return x_.rows(); }
  index_t width() const { return width_; }
  const double* group(index_t g) const { return groups_.data() + g * width_ * x_.cols(); }
  double norm(index_t i) const { return norms_[static_cast<std::size_t>(i)]; }

  static std::vector<double> squared_norms(ConstMatrixRef x);

 private:
  ConstMatrixRef x_;
  index_t width_;
  Buffer<double> groups_;
  std::vector<double> norms_;
};

// Works through the panels of x; one object per thread.
class PanelPairs {
 public:
  PanelPairs(ConstMatrixRef x, const PackedPoints& others, bool distance, const Micro& micro);
  // Makes rows [16 p, 16 p + 16) of x the current panel.
  void select(index_t p);
  // Base quantities of the current panel with points [first, last) of the others, 16 values a
  // point; first is a multiple of the group width.
  void evaluate(index_t first, index_t last, double* out);

 private:
  void recompute(index_t j, double* out) const;
  ConstMatrixRef x_;
  const PackedPoints& others_;
  bool distance_;
  const Micro& micro_;
  index_t begin_ = 0;
  Buffer<double> panel_, dot_;
  double norms_[kPanel] = {};
};

// values = kernel(base); n is a multiple of 16. In and out may be the same.
void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const float* base,
                  float* values);
void apply_kernel(const Kernel& kernel, const Micro& micro, index_t n, const double* base,
                  double* values);

}  // namespace flexkern

#endif
