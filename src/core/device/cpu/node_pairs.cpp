#include "node_pairs.h"

#include "core/base/error.h"

namespace flexkern {

std::vector<double> leaf_values(const Points& x, const HierarchyNode& leaf, index_t first,
                                index_t rows) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(rows) * leaf.parts.size());
  for (std::size_t k = 0; k < leaf.parts.size(); ++k) {
    const double* column = x.dense().col(leaf.parts[k]) + first;
    for (index_t i = 0; i < rows; ++i) values.push_back(leaf.weights[k] * column[i]);
  }
  return values;
}

namespace {

ConstMatrixRef as_points(const std::vector<double>& values, index_t rows,
                         const HierarchyNode& leaf) {
  return {values.data(), rows, static_cast<index_t>(leaf.parts.size())};
}

}  // namespace

PackedLeaves::PackedLeaves(const Points& x, const Micro& micro) : hierarchy(*x.hierarchy()) {
  require(!x.is_sparse(), "a hierarchical kernel needs dense points");
  for (const HierarchyNode& node : hierarchy.nodes) {
    values.emplace_back();
    leaves.emplace_back();
    if (!node.leaf) continue;
    values.back() = leaf_values(x, node, 0, x.rows());
    leaves.back() =
        std::make_unique<PackedPoints>(as_points(values.back(), x.rows(), node), true, micro);
  }
}

NodePairs::NodePairs(const Points& x, const PackedLeaves& others, const Micro& micro)
    : x_(x),
      hierarchy_(others.hierarchy),
      others_(others),
      micro_(micro),
      values_(hierarchy_.nodes.size()),
      leaves_(hierarchy_.nodes.size()),
      distance_(hierarchy_.nodes.size()) {}

void NodePairs::select(index_t first, index_t rows) {
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const HierarchyNode& node = hierarchy_.nodes[k];
    if (!node.leaf) continue;
    values_[k] = leaf_values(x_, node, first, rows);
    leaves_[k] =
        std::make_unique<PanelPairs>(as_points(values_[k], rows, node), *others_.leaves[k], micro_);
    leaves_[k]->select(0);
  }
}

// D = sum_i 2 w_i^2 (1 - exp(-D_i)); the children's distances give way to their kernel values.
void NodePairs::add_children(const HierarchyNode& node, index_t count, double* out) {
  std::fill_n(out, count, 0.0);
  for (std::size_t c = 0; c < node.parts.size(); ++c) {
    double* child = distance_[static_cast<std::size_t>(node.parts[c])].data();
    const double weight = 2 * node.weights[c] * node.weights[c];
    micro_.exp_f64(count, -1, child, child);
    for (index_t i = 0; i < count; ++i) out[i] += weight * (1 - child[i]);
  }
}

void NodePairs::evaluate(index_t first, index_t last, double* out) {
  const index_t count = kPanel * (last - first);
  for (std::size_t k = 0; k < leaves_.size(); ++k) {
    const bool top = k + 1 == leaves_.size();
    if (!top) distance_[k].reserve(count);
    double* target = top ? out : distance_[k].data();
    if (hierarchy_.nodes[k].leaf)
      leaves_[k]->evaluate(first, last, target);
    else
      add_children(hierarchy_.nodes[k], count, target);
  }
}

}  // namespace flexkern
