// The nearest centre of each row: how a point finds its cell.
#ifndef FLEXKERN_MODEL_ASSIGN_H
#define FLEXKERN_MODEL_ASSIGN_H

#include <cstdint>
#include <vector>

#include "../base/context.h"
#include "distance.h"

namespace flexkern {

// Searches among fixed centres. Ties go to the smallest index, as in a plain loop over the centres.
class NearestCenter {
 public:
  struct Hit {
    std::int32_t center = 0;
    double squared_distance = 0;
  };

  // `queries` is how many searches to expect: bounds between centres are prepared when they pay.
  NearestCenter(PackedRows centers, index_t queries, Context& context);

  // `x` is a packed row of the centres' width.
  Hit find(const double* x) const { return between_.size() > 0 ? find_bounded(x) : find_plain(x); }

  const PackedRows& centers() const { return centers_; }

 private:
  Hit find_plain(const double* x) const;
  Hit find_bounded(const double* x) const;

  PackedRows centers_;
  Buffer<float> between_;  // squared distances between centres, a lower bound of each
};

// Index of the nearest row of `centers` for each row of x.
std::vector<std::int32_t> assign(ConstMatrixRef x, ConstMatrixRef centers, Context& context);

}  // namespace flexkern

#endif
