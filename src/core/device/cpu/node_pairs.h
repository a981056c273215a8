// Squared feature distances of a hierarchical kernel between a panel of points and others, in
// double precision: one PanelPairs a leaf, and a vector exponential a node.
#ifndef FLEXKERN_DEVICE_CPU_NODE_PAIRS_H
#define FLEXKERN_DEVICE_CPU_NODE_PAIRS_H

#include <memory>
#include <vector>

#include "core/base/hierarchy.h"
#include "pairwise.h"

namespace flexkern {

// The columns of a leaf times their weights, from row `first` on.
std::vector<double> leaf_values(const Points& x, const HierarchyNode& leaf, index_t first,
                                index_t rows);

// The right-hand points as each leaf sees them; entries of other nodes are empty.
struct PackedLeaves {
  PackedLeaves(const Points& x, const Micro& micro);
  const Hierarchy& hierarchy;
  std::vector<std::vector<double>> values;
  std::vector<std::unique_ptr<PackedPoints>> leaves;
};

class NodePairs {
 public:
  NodePairs(const Points& x, const PackedLeaves& others, const Micro& micro);
  void select(index_t first, index_t rows);
  void evaluate(index_t first, index_t last, double* out);

 private:
  void add_children(const HierarchyNode& node, index_t count, double* out);
  Points x_;
  const Hierarchy& hierarchy_;
  const PackedLeaves& others_;
  const Micro& micro_;
  std::vector<std::vector<double>> values_;
  std::vector<std::unique_ptr<PanelPairs>> leaves_;
  std::vector<Buffer<double>> distance_;
};

}  // namespace flexkern

#endif
