// Coordinates of a dual with their prices and residuals, and steps on pairs of them: the pair is
// chosen in the same pass over the residuals that applies the last step (Steinwart, Hush and Scovel
// 2011). The Gram matrix has a unit diagonal and rows of `stride` values.
#ifndef FLEXKERN_SOLVER_DUAL_CORE_H
#define FLEXKERN_SOLVER_DUAL_CORE_H

#include <vector>

#include "core/device/device.h"
#include "dual_price.h"

namespace flexkern {

class DualCore {
 public:
  DualCore(Loss::Type type, const Micro& micro, index_t n);

  void set_rows(const float* rows) { rows_ = rows; }
  const float* row(index_t i) const { return rows_ + i * stride_; }
  index_t size() const { return n_; }
  index_t stride() const { return stride_; }
  double value(index_t i) const { return value_[at(i)]; }
  const std::vector<double>& values() const { return value_; }
  const DualPrice& price(index_t i) const { return price_[at(i)]; }
  float residual(index_t i) const { return r_[i]; }
  // Of the dual in coordinate i, on the given side of 0, where prices have a kink.
  double slope(index_t i, double side) const {
    const DualPrice& p = price_[at(i)];
    return r_[i] - (side > 0 ? p.linear : -p.linear) - p.square(side) * value_[at(i)];
  }
  // The side of a value, or that to which 0 is drawn.
  double side(index_t i) const { return value_[at(i)] != 0 ? value_[at(i)] : r_[i]; }

  void set_price(index_t i, const DualPrice& price) { price_[at(i)] = price; }
  // Does not touch the residuals.
  void set_value(index_t i, double value) {
    value_[at(i)] = value;
    show(i);
  }
  void set_residual(index_t i, double r) { r_[i] = static_cast<float>(r); }
  // The residuals of a value that rises by so much.
  void add_row(index_t i, double change) {
    micro_.axpy(stride_, static_cast<float>(-change), row(i), r_.data());
  }
  // What the values of some rows take from the residuals begin .. end - 1, whole panels.
  void add_rows(index_t first, index_t last, index_t begin, index_t end) {
    for (index_t i = first; i < last; ++i)
      if (value(i) != 0)
        micro_.axpy(end - begin, static_cast<float>(-value(i)), row(i) + begin, r_.data() + begin);
  }
  // Moves up to so many pairs, until no coordinate gains more than `least`; returns how many.
  index_t step(index_t count, double least);
  // What the coordinate that gains most gains.
  double best_gain() const;

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  void show(index_t i);
  void move_pair(index_t i, index_t j);
  DualPass still() const;

  const Micro& micro_;
  DualKernel kernel_;
  index_t n_, stride_;
  const float* rows_ = nullptr;
  std::vector<DualPrice> price_;
  std::vector<double> value_;
  Buffer<float> r_;
  Buffer<float> parameter_[4];
};

}  // namespace flexkern

#endif
