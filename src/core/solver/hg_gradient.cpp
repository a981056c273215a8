#include "hg_gradient.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

// The columns (1, x_j..., x_j^2...) of a leaf, packed for products that sum over the points.
template <typename T>
struct Moments {
  index_t columns = 0, width = 1, rows = 0;
  Buffer<T> data;

  Moments(ConstMatrixRef x, const HierarchyNode& leaf, const Micro& micro)
      : width(group_width(micro, T())), rows(x.rows()) {
    const index_t size = static_cast<index_t>(leaf.parts.size());
    columns = round_up(1 + 2 * size, width);
    data.reserve(columns * rows);
    std::fill_n(data.data(), data.size(), T(0));
    for (index_t i = 0; i < rows; ++i) {
      at(i, 0) = 1;
      for (index_t k = 0; k < size; ++k) {
        const double v = x(i, leaf.parts[static_cast<std::size_t>(k)]);
        at(i, 1 + k) = static_cast<T>(v);
        at(i, 1 + size + k) = static_cast<T>(v * v);
      }
    }
  }
  T& at(index_t i, index_t c) { return data[c / width * width * rows + i * width + c % width]; }
  const T* from(index_t i, index_t c) const { return data.data() + c * rows + i * width; }
};

template <typename T>
class PanelGradient {
 public:
  PanelGradient(const HgTiles<T>& tiles, double gamma, const Groups<T>& left, ConstMatrixRef right,
                const std::vector<Moments<T>>& moments)
      : tiles_(tiles),
        hierarchy_(tiles.hierarchy()),
        ops_(hg_ops(tiles.micro(), T())),
        gamma_(gamma),
        left_(left),
        right_(right),
        moments_(moments),
        work_(tiles.work()),
        pair_(kPanel * kHgTile),
        panel_(kPanel * std::max<index_t>(right.cols(), 1)) {
    for (std::size_t k = 0; k < hierarchy_.nodes.size(); ++k) {
      back_.emplace_back(kPanel * kHgTile);
      sums_.emplace_back(kPanel * std::max<index_t>(moments[k].columns, 1));
    }
  }

  // The panel's share of the gradient.
  void run(index_t p, double* gradient) {
    const index_t n = tiles_.x().rows();
    begin_ = p * kPanel;
    lanes_ = std::min(kPanel, tiles_.z().rows() - begin_);
    std::fill_n(panel_.data(), panel_.size(), T(0));
    for (index_t c = 0; c < right_.cols(); ++c)
      for (index_t r = 0; r < lanes_; ++r)
        panel_[c * kPanel + r] = static_cast<T>(right_(begin_ + r, c));
    for (auto& s : sums_) std::fill_n(s.data(), s.size(), T(0));
    for (index_t j = 0; j < n; j += kHgTile) tile(p, j, std::min(n, j + kHgTile), gradient);
    finish(gradient);
  }

 private:
  void tile(index_t p, index_t first, index_t last, double* gradient) {
    const Micro& micro = tiles_.micro();
    const index_t count = kPanel * (last - first), width = group_width(micro, T());
    tiles_.evaluate(p, first, last, work_);
    std::fill_n(pair_.data(), pair_.size(), T(0));
    for (index_t j = first; j < last; j += width)
      gemm(micro, right_.cols(), panel_.data(), left_.group(j),
           pair_.data() + (j - first) * kPanel);
    const std::size_t top = hierarchy_.nodes.size() - 1;
    T* value = work_.node[top].data();
    exp_of(micro, count, -gamma_, value, value);
    ops_.product(count, static_cast<T>(-gamma_), value, pair_.data(), back_[top].data());
    std::size_t offset = hierarchy_.weights();
    for (std::size_t k = top + 1; k-- > 0;) {
      const HierarchyNode& node = hierarchy_.nodes[k];
      offset -= node.weights.size();
      if (node.leaf)
        add_moments(k, first, last);
      else
        descend(node, back_[k].data(), count, gradient + offset);
    }
  }

  void descend(const HierarchyNode& node, const T* back, index_t count, double* gradient) {
    for (std::size_t c = 0; c < node.parts.size(); ++c) {
      const std::size_t child = static_cast<std::size_t>(node.parts[c]);
      const double w = node.weights[c];
      const T* k = work_.node[child].data();
      gradient[c] += 4 * w * ops_.dot_share(count, back, k);
      ops_.product(count, static_cast<T>(2 * w * w), back, k, back_[child].data());
    }
  }

  void add_moments(std::size_t k, index_t first, index_t last) {
    const index_t width = group_width(tiles_.micro(), T());
    for (index_t c = 0; c < moments_[k].columns; c += width)
      gemm(tiles_.micro(), last - first, back_[k].data(), moments_[k].from(first, c),
           sums_[k].data() + c * kPanel);
  }

  // sum C (x - z)^2 = sum_z (z^2 sum_x C - 2 z sum_x C x + sum_x C x^2)
  void finish(double* gradient) const {
    std::size_t offset = 0;
    for (std::size_t k = 0; k < hierarchy_.nodes.size(); ++k) {
      const HierarchyNode& node = hierarchy_.nodes[k];
      const index_t size = static_cast<index_t>(node.parts.size());
      for (index_t j = 0; node.leaf && j < size; ++j) {
        const double v = node.weights[static_cast<std::size_t>(j)];
        const double* z = tiles_.z().col(node.parts[static_cast<std::size_t>(j)]) + begin_;
        const T* sums = sums_[k].data();
        double total = 0;
        for (index_t r = 0; r < lanes_; ++r)
          total += z[r] * z[r] * static_cast<double>(sums[r]) -
                   2 * z[r] * static_cast<double>(sums[(1 + j) * kPanel + r]) +
                   static_cast<double>(sums[(1 + size + j) * kPanel + r]);
        gradient[offset + static_cast<std::size_t>(j)] += 2 * v * total;
      }
      offset += node.weights.size();
    }
  }

  const HgTiles<T>& tiles_;
  const Hierarchy& hierarchy_;
  const HgOps<T>& ops_;
  double gamma_;
  const Groups<T>& left_;
  ConstMatrixRef right_;
  const std::vector<Moments<T>>& moments_;
  typename HgTiles<T>::Work work_;
  Buffer<T> pair_, panel_;
  std::vector<Buffer<T>> back_, sums_;
  index_t begin_ = 0, lanes_ = 0;
};

template <typename T>
Groups<T> grouped(ConstMatrixRef from, const Micro& micro) {
  Groups<T> out(from.rows(), from.cols(), group_width(micro, T()));
  for (index_t i = 0; i < from.rows(); ++i)
    for (index_t c = 0; c < from.cols(); ++c) out.at(i, c) = static_cast<T>(from(i, c));
  return out;
}

}  // namespace

template <typename T>
std::vector<double> hierarchy_gradient(const HgTiles<T>& tiles, double gamma, ConstMatrixRef left,
                                       ConstMatrixRef right, int threads, Context& context) {
  const Groups<T> packed = grouped<T>(left, tiles.micro());
  std::vector<Moments<T>> moments;
  for (const HierarchyNode& node : tiles.hierarchy().nodes)
    moments.emplace_back(tiles.x(), node.leaf ? node : HierarchyNode(), tiles.micro());
  const std::size_t size = tiles.hierarchy().weights();
  // Each panel has a sum of its own; they are added in order.
  std::vector<double> parts(size * static_cast<std::size_t>(tiles.panels()), 0.0), out(size, 0.0);
  parallel_for(tiles.panels(), threads, context, [&](index_t p, int) {
    PanelGradient<T> panel(tiles, gamma, packed, right, moments);
    panel.run(p, parts.data() + static_cast<std::size_t>(p) * size);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) out[i % size] += parts[i];
  return out;
}

template <typename T>
void hierarchy_values(const HgTiles<T>& tiles, double gamma, T* out, index_t stride, int threads,
                      Context& context) {
  parallel_for(tiles.panels(), threads, context, [&](index_t p, int) {
    auto work = tiles.work();
    const index_t n = tiles.x().rows(), lanes = std::min(kPanel, tiles.z().rows() - p * kPanel);
    for (index_t j = 0; j < n; j += kHgTile) {
      const index_t last = std::min(n, j + kHgTile);
      tiles.evaluate(p, j, last, work);
      T* value = work.node.back().data();
      exp_of(tiles.micro(), kPanel * (last - j), -gamma, value, value);
      for (index_t i = j; i < last; ++i)
        std::copy_n(value + (i - j) * kPanel, lanes, out + i * stride + p * kPanel);
    }
  });
}

template std::vector<double> hierarchy_gradient(const HgTiles<float>&, double, ConstMatrixRef,
                                                ConstMatrixRef, int, Context&);
template std::vector<double> hierarchy_gradient(const HgTiles<double>&, double, ConstMatrixRef,
                                                ConstMatrixRef, int, Context&);
template void hierarchy_values(const HgTiles<float>&, double, float*, index_t, int, Context&);
template void hierarchy_values(const HgTiles<double>&, double, double*, index_t, int, Context&);

}  // namespace flexkern
