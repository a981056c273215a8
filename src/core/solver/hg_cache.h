// The kernel between two fixed sets of points while single weights change: the matrices of all
// nodes are kept, so that a change costs a pass over the pairs whatever the architecture.
#ifndef FLEXKERN_SOLVER_HG_CACHE_H
#define FLEXKERN_SOLVER_HG_CACHE_H

#include <memory>
#include <vector>

#include "core/base/context.h"
#include "hg_tiles.h"

namespace flexkern {

struct WeightChange {
  std::size_t node = 0, part = 0;
  double weight = 0;  // the new one
};

// The weight number i in the order of the nodes.
WeightChange weight_at(const Hierarchy& hierarchy, std::size_t i);

template <typename T>
class HgCache {
 public:
  // Points x of an expansion and z where it is evaluated; both must live as long as this.
  HgCache(ConstMatrixRef x, ConstMatrixRef z, const Micro& micro, int threads, Context& context);
  static double bytes(const Hierarchy& hierarchy, index_t x, index_t z);

  // Everything anew.
  void set(const Hierarchy& hierarchy, double gamma);
  // Coefficients of the expansion, rows of x by responses.
  void set_coef(ConstMatrixRef coef);
  const Hierarchy& hierarchy() const { return hierarchy_; }
  // Decision values (rows of z by responses) as they are and if a weight were changed.
  void decision(MatrixRef out) { pass(nullptr, &out); }
  void probe(const WeightChange& change, MatrixRef out) { pass(&change, &out); }
  // Makes a change. Rounding adds up: after many of them, set() brings all up to date.
  void accept(const WeightChange& change);

 private:
  // The way of a change from its node up to the top.
  struct Path {
    bool leaf = false;
    index_t part = 0;  // the column or child whose weight changes
    T step = 0;
    std::vector<std::size_t> links;
    std::vector<T> gains;
  };
  Path path(const WeightChange& change) const;
  void pass(const WeightChange* change, const MatrixRef* out);
  void apply(const Path& path, index_t p, index_t first, index_t last, bool keep, T* change);
  T* values(std::size_t node, index_t p, index_t i) {
    return node_[node].data() + (p * x_.rows() + i) * kPanel;
  }

  ConstMatrixRef x_, z_;
  const Micro& micro_;
  const HgOps<T>& ops_;
  int threads_;
  Context& context_;
  HgTiles<T> tiles_;
  Hierarchy hierarchy_;
  double gamma_ = 1;
  std::vector<std::size_t> parent_, slot_;  // of each node
  std::vector<Buffer<T>> node_;             // kernel values; of the top node the squared distance
  Buffer<T> points_, lanes_;                // by columns; by panels and columns
  index_t responses_ = 0;
  Buffer<T> coef_;
};

}  // namespace flexkern

#endif
