// A hierarchical kernel between panels of 16 points z (lanes) and tiles of other points x, with the
// values of every node at hand. T is the precision.
#ifndef FLEXKERN_SOLVER_HG_TILES_H
#define FLEXKERN_SOLVER_HG_TILES_H

#include <vector>

#include "core/base/hierarchy.h"
#include "core/base/points.h"
#include "core/device/cpu/micro.h"

namespace flexkern {

inline index_t group_width(const Micro& m, float) { return m.cols_f32; }
inline index_t group_width(const Micro& m, double) { return m.cols_f64; }
inline void gemm(const Micro& m, index_t k, const float* a, const float* b, float* c) {
  m.gemm_f32(k, a, b, c, kPanel);
}
inline void gemm(const Micro& m, index_t k, const double* a, const double* b, double* c) {
  m.gemm_f64(k, a, b, c, kPanel);
}
inline void exp_of(const Micro& m, index_t n, double scale, const float* in, float* out) {
  m.exp_f32(n, static_cast<float>(scale), in, out);
}
inline void exp_of(const Micro& m, index_t n, double scale, const double* in, double* out) {
  m.exp_f64(n, scale, in, out);
}
inline const HgOps<float>& hg_ops(const Micro& m, float) { return m.hg_f32; }
inline const HgOps<double>& hg_ops(const Micro& m, double) { return m.hg_f64; }

constexpr index_t kHgTile = 48;  // points of a tile; a multiple of every group width

// Rows of a table in groups of the width that products take, `depth` values a row; what is left of
// the last group is zero.
template <typename T>
class Groups {
 public:
  Groups() = default;
  Groups(index_t rows, index_t depth, index_t width)
      : depth_(depth), width_(width), data_(round_up(rows, width) * depth) {
    std::fill_n(data_.data(), data_.size(), T(0));
  }
  T& at(index_t row, index_t k) {
    return data_[row / width_ * width_ * depth_ + k * width_ + row % width_];
  }
  const T* group(index_t row) const { return data_.data() + row * depth_; }
  index_t depth() const { return depth_; }

 private:
  index_t depth_ = 0, width_ = 1;
  Buffer<T> data_;
};

template <typename T>
class HgTiles {
 public:
  // Both dense; they must live as long as this.
  HgTiles(ConstMatrixRef x, ConstMatrixRef z, const Micro& micro)
      : x_(x), z_(z), micro_(micro), width_(group_width(micro, T())) {}
  void set(const Hierarchy& hierarchy);

  // What one thread works with: of every node but the top one its kernel values, of the top node
  // its squared distance; 16 values a point.
  struct Work {
    std::vector<Buffer<T>> node;
  };
  Work work() const;
  // The tile of z's panel p with points [first, last) of x; first is a multiple of kHgTile.
  void evaluate(index_t p, index_t first, index_t last, Work& work) const;

  const Hierarchy& hierarchy() const { return hierarchy_; }
  const Micro& micro() const { return micro_; }
  ConstMatrixRef x() const { return x_; }
  ConstMatrixRef z() const { return z_; }
  index_t panels() const { return round_up(z_.rows(), kPanel) / kPanel; }

 private:
  struct Leaf {
    Groups<T> points;  // v_j x_j, then 1 and |v x|^2
    Buffer<T> panels;  // -2 v_j z_j, then |v z|^2 and 1
  };
  void pack(const HierarchyNode& node, Leaf& leaf) const;

  ConstMatrixRef x_, z_;
  const Micro& micro_;
  index_t width_;
  Hierarchy hierarchy_;
  std::vector<Leaf> leaves_;
};

}  // namespace flexkern

#endif
