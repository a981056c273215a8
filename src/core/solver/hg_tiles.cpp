#include "hg_tiles.h"

#include <algorithm>

namespace flexkern {

template <typename T>
void HgTiles<T>::set(const Hierarchy& hierarchy) {
  hierarchy_ = hierarchy;
  leaves_.resize(hierarchy_.nodes.size());
  for (std::size_t k = 0; k < leaves_.size(); ++k)
    if (hierarchy_.nodes[k].leaf) pack(hierarchy_.nodes[k], leaves_[k]);
}

// Products of these are squared distances: -2 u'v + |u|^2 + |v|^2.
template <typename T>
void HgTiles<T>::pack(const HierarchyNode& node, Leaf& leaf) const {
  const index_t size = static_cast<index_t>(node.parts.size()), depth = size + 2;
  leaf.points = Groups<T>(x_.rows(), depth, width_);
  leaf.panels.reserve(panels() * depth * kPanel);
  std::fill_n(leaf.panels.data(), leaf.panels.size(), T(0));
  const auto pack_row = [&](ConstMatrixRef from, index_t i, double scale, auto put) {
    double norm = 0;
    for (index_t k = 0; k < size; ++k) {
      const double v = node.weights[static_cast<std::size_t>(k)] *
                       from(i, node.parts[static_cast<std::size_t>(k)]);
      put(k, static_cast<T>(scale * v));
      norm += v * v;
    }
    return static_cast<T>(norm);
  };
  for (index_t i = 0; i < x_.rows(); ++i) {
    const T norm = pack_row(x_, i, 1, [&](index_t k, T v) { leaf.points.at(i, k) = v; });
    leaf.points.at(i, size) = 1;
    leaf.points.at(i, size + 1) = norm;
  }
  for (index_t i = 0; i < z_.rows(); ++i) {
    T* panel = leaf.panels.data() + i / kPanel * kPanel * depth + i % kPanel;
    const T norm = pack_row(z_, i, -2, [&](index_t k, T v) { panel[k * kPanel] = v; });
    panel[size * kPanel] = norm;
    panel[(size + 1) * kPanel] = 1;
  }
}

template <typename T>
typename HgTiles<T>::Work HgTiles<T>::work() const {
  Work out;
  for (std::size_t k = 0; k < hierarchy_.nodes.size(); ++k) out.node.emplace_back(kPanel * kHgTile);
  return out;
}

template <typename T>
void HgTiles<T>::evaluate(index_t p, index_t first, index_t last, Work& work) const {
  const index_t count = kPanel * (last - first);
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const HierarchyNode& node = hierarchy_.nodes[k];
    T* out = work.node[k].data();
    std::fill_n(out, kPanel * kHgTile, T(0));
    if (node.leaf) {
      const index_t depth = leaves_[k].points.depth();
      for (index_t j = first; j < last; j += width_)
        gemm(micro_, depth, leaves_[k].panels.data() + p * kPanel * depth,
             leaves_[k].points.group(j), out + (j - first) * kPanel);
    } else {
      for (std::size_t c = 0; c < node.parts.size(); ++c)
        hg_ops(micro_, T())
            .add_share(count, static_cast<T>(2 * node.weights[c] * node.weights[c]),
                       work.node[static_cast<std::size_t>(node.parts[c])].data(), out);
    }
    if (k + 1 < leaves_.size()) exp_of(micro_, count, -1, out, out);
  }
}

template class HgTiles<float>;
template class HgTiles<double>;

}  // namespace flexkern
