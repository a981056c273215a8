// The nodes of a hierarchical Gaussian kernel (Steinwart, Thomann and Schmid 2016). A node has a
// squared distance D: of a leaf, sum_j v_j^2 (x_j - x'_j)^2 over its columns; of any other node,
// sum_i 2 w_i^2 (1 - exp(-D_i)) over its children. The kernel is exp(-gamma D) with the D of the
// top node, the squared feature distance.
#ifndef FLEXKERN_BASE_HIERARCHY_H
#define FLEXKERN_BASE_HIERARCHY_H

#include <cstddef>
#include <vector>

#include "view.h"

namespace flexkern {

struct HierarchyNode {
  bool leaf = true;
  std::vector<index_t> parts;   // columns of a leaf, else numbers of child nodes
  std::vector<double> weights;  // one for each part
};

// Children come before their parent, so that the top node is the last one; each has one parent.
struct Hierarchy {
  std::vector<HierarchyNode> nodes;

  std::size_t weights() const {
    std::size_t count = 0;
    for (const HierarchyNode& node : nodes) count += node.weights.size();
    return count;
  }
};

}  // namespace flexkern

#endif
