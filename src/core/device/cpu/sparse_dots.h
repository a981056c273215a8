// Inner products of one panel of sparse points with many others.
#ifndef FLEXKERN_DEVICE_CPU_SPARSE_DOTS_H
#define FLEXKERN_DEVICE_CPU_SPARSE_DOTS_H

#include "core/base/points.h"
#include "micro.h"

namespace flexkern {

// The others are given by columns. An entry of a panel's row then meets just the points that have
// an entry in the same column: the work is the number of products that are not zero, plus one sum
// for each pair. Products are added with the columns rising, whatever else is in the panel.
class SparseDots {
 public:
  SparseDots(const SparseRef& x, const SparseRef& columns)
      : x_(x), columns_(columns), sums_(kPanel * columns.cols) {}
  // Makes the rows of x from `begin` on the current panel.
  void select(index_t begin);
  // Inner products with the others first .. first + count - 1, 16 values each.
  void copy(index_t first, index_t count, double* out) const;

 private:
  SparseRef x_, columns_;
  Buffer<double> sums_;  // one row of the panel after another
};

}  // namespace flexkern

#endif
