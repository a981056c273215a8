#include "hg_cache.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {

WeightChange weight_at(const Hierarchy& hierarchy, std::size_t i) {
  WeightChange out;
  while (i >= hierarchy.nodes[out.node].weights.size())
    i -= hierarchy.nodes[out.node++].weights.size();
  out.part = i;
  out.weight = hierarchy.nodes[out.node].weights[i];
  return out;
}

template <typename T>
HgCache<T>::HgCache(ConstMatrixRef x, ConstMatrixRef z, const Micro& micro, int threads,
                    Context& context)
    : x_(x),
      z_(z),
      micro_(micro),
      ops_(hg_ops(micro, T())),
      threads_(threads),
      context_(context),
      tiles_(x, z, micro),
      points_(x.rows() * x.cols()),
      lanes_(round_up(z.rows(), kPanel) * z.cols()) {
  for (index_t k = 0; k < x.cols(); ++k)
    std::copy_n(x.col(k), x.rows(), points_.data() + k * x.rows());
  std::fill_n(lanes_.data(), lanes_.size(), T(0));
  for (index_t k = 0; k < z.cols(); ++k)
    for (index_t i = 0; i < z.rows(); ++i)
      lanes_[(i / kPanel * z.cols() + k) * kPanel + i % kPanel] = static_cast<T>(z(i, k));
}

template <typename T>
double HgCache<T>::bytes(const Hierarchy& hierarchy, index_t x, index_t z) {
  return static_cast<double>(hierarchy.nodes.size()) * static_cast<double>(x) *
         static_cast<double>(round_up(z, kPanel)) * sizeof(T);
}

template <typename T>
void HgCache<T>::set(const Hierarchy& hierarchy, double gamma) {
  hierarchy_ = hierarchy;
  gamma_ = gamma;
  parent_.assign(hierarchy.nodes.size(), 0);
  slot_.assign(hierarchy.nodes.size(), 0);
  for (std::size_t k = 0; k < hierarchy.nodes.size(); ++k) {
    const HierarchyNode& node = hierarchy.nodes[k];
    for (std::size_t c = 0; !node.leaf && c < node.parts.size(); ++c) {
      parent_[static_cast<std::size_t>(node.parts[c])] = k;
      slot_[static_cast<std::size_t>(node.parts[c])] = c;
    }
  }
  node_.resize(hierarchy.nodes.size());
  for (auto& values : node_) values.reserve(tiles_.panels() * x_.rows() * kPanel);
  tiles_.set(hierarchy);
  parallel_for(tiles_.panels(), threads_, context_, [&](index_t p, int) {
    auto work = tiles_.work();
    for (index_t j = 0; j < x_.rows(); j += kHgTile) {
      const index_t last = std::min(x_.rows(), j + kHgTile);
      tiles_.evaluate(p, j, last, work);
      for (std::size_t k = 0; k < node_.size(); ++k)
        std::copy_n(work.node[k].data(), (last - j) * kPanel, values(k, p, j));
    }
  });
}

template <typename T>
void HgCache<T>::set_coef(ConstMatrixRef coef) {
  responses_ = coef.cols();
  const index_t width = group_width(micro_, T()), n = x_.rows();
  coef_.reserve(round_up(responses_, width) * n);
  std::fill_n(coef_.data(), coef_.size(), T(0));
  for (index_t c = 0; c < responses_; ++c)
    for (index_t i = 0; i < n; ++i)
      coef_[c / width * width * n + i * width + c % width] = static_cast<T>(coef(i, c));
}

// A change of v_j^2 changes D by (v'^2 - v^2) delta_j^2, one of w_i^2 by 2 (w'^2 - w^2) (1 - k_i);
// from a node with kernel k and weight w on, its parent's D changes by 2 w^2 (k - k').
template <typename T>
typename HgCache<T>::Path HgCache<T>::path(const WeightChange& change) const {
  const HierarchyNode& node = hierarchy_.nodes[change.node];
  const double old = node.weights[change.part];
  const double step = change.weight * change.weight - old * old;
  Path out;
  out.leaf = node.leaf;
  out.step = static_cast<T>(node.leaf ? step : 2 * step);
  out.part = node.parts[change.part];
  for (std::size_t k = change.node; k + 1 < hierarchy_.nodes.size(); k = parent_[k]) {
    const double w = hierarchy_.nodes[parent_[k]].weights[slot_[k]];
    out.links.push_back(k);
    out.gains.push_back(static_cast<T>(2 * w * w));
  }
  return out;
}

// How the distance of the top node changes in one tile; `keep` updates the nodes on the way.
template <typename T>
void HgCache<T>::apply(const Path& path, index_t p, index_t first, index_t last, bool keep,
                       T* change) {
  const index_t count = kPanel * (last - first);
  if (path.leaf) {
    ops_.squares(last - first, lanes_.data() + (p * z_.cols() + path.part) * kPanel,
                 points_.data() + path.part * x_.rows() + first, path.step, change);
  } else {
    std::fill_n(change, count, T(0));
    ops_.add_share(count, path.step, values(static_cast<std::size_t>(path.part), p, first), change);
  }
  for (std::size_t l = 0; l < path.links.size(); ++l) {
    T* k = values(path.links[l], p, first);
    ops_.link(count, path.gains[l], k, change, keep ? k : nullptr);
  }
  if (!keep) return;
  T* distance = values(node_.size() - 1, p, first);
  for (index_t i = 0; i < count; ++i) distance[i] += change[i];
}

template <typename T>
void HgCache<T>::pass(const WeightChange* change, const MatrixRef* out) {
  constexpr index_t tile = 64;
  const Path way = change ? path(*change) : Path();
  const index_t n = x_.rows(), width = group_width(micro_, T());
  const index_t columns = round_up(responses_, width);
  parallel_for(tiles_.panels(), threads_, context_, [&](index_t p, int) {
    alignas(64) T values_of[kPanel * tile], shift[kPanel * tile];
    std::vector<T> sums(static_cast<std::size_t>(kPanel * columns));
    std::vector<double> totals(sums.size(), 0.0);
    if (!change) std::fill_n(shift, kPanel * tile, T(0));
    for (index_t j = 0; j < n; j += tile) {
      const index_t last = std::min(n, j + tile), count = kPanel * (last - j);
      if (change) apply(way, p, j, last, false, shift);
      ops_.shifted_exp(count, static_cast<T>(gamma_), values(node_.size() - 1, p, j), shift,
                       values_of);
      std::fill(sums.begin(), sums.end(), T(0));
      for (index_t c = 0; c < columns; c += width)
        gemm(micro_, last - j, values_of, coef_.data() + c * n + j * width,
             sums.data() + c * kPanel);
      for (std::size_t i = 0; i < sums.size(); ++i) totals[i] += static_cast<double>(sums[i]);
    }
    const index_t begin = p * kPanel, lanes = std::min(kPanel, z_.rows() - begin);
    for (index_t c = 0; c < responses_; ++c)
      std::copy_n(totals.data() + c * kPanel, lanes, out->col(c) + begin);
  });
}

template <typename T>
void HgCache<T>::accept(const WeightChange& change) {
  constexpr index_t tile = 64;
  const Path way = path(change);
  parallel_for(tiles_.panels(), threads_, context_, [&](index_t p, int) {
    alignas(64) T shift[kPanel * tile];
    for (index_t j = 0; j < x_.rows(); j += tile)
      apply(way, p, j, std::min(x_.rows(), j + tile), true, shift);
  });
  hierarchy_.nodes[change.node].weights[change.part] = change.weight;
}

template class HgCache<float>;
template class HgCache<double>;

}  // namespace flexkern
