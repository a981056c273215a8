// The nearest centre of each row: how a point finds its cell.
#ifndef FLEXKERN_MODEL_ASSIGN_H
#define FLEXKERN_MODEL_ASSIGN_H

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "distance.h"

namespace flexkern {

// Searches among fixed centres. Ties go to the smallest index, as in a plain loop over the centres.
class NearestCenter {
 public:
  struct Hit {
    std::int32_t center = -1;
    double squared_distance = 0;
  };

  // `queries` is how many searches to expect: bounds between centres are prepared when they pay.
  NearestCenter(PackedRows centers, index_t queries, Context& context);

  // `x` is a row of the centres' kind and width.
  Hit find(const Row& x) const;
  // The nearest centre but for `first`, the answer of find(x); center = -1 when there is no other.
  Hit find_second(const Row& x, const Hit& first) const;

  const PackedRows& centers() const { return centers_; }

 private:
  bool bounded() const { return between_.size() > 0; }
  void prepare(Context& context);
  Hit guess(const Row& x) const;
  Hit scan(const Row& x, std::int32_t skip) const;
  void search(const Row& x, const Hit& from, std::int32_t skip, Hit& best) const;
  Hit scan_sparse(const Row& x, std::int32_t skip) const;
  void improve(const Row& x, std::int32_t j, Hit& best) const;
  template <typename Visit>
  void each_within(const float* between, const float& reach, Visit visit) const;

  PackedRows centers_;
  // With many centres: squared distances between them, a lower bound of each, in rows of `stride_`;
  // and a coarse level of few centres with the others grouped around them.
  Buffer<float> between_;
  index_t stride_ = 0;
  std::vector<std::int32_t> coarse_;
  std::vector<std::vector<std::int32_t>> group_;
  RowsByColumn by_column_;  // sparse centres
};

// Index of the nearest row of `centers` for each row of x.
std::vector<std::int32_t> assign(const Points& x, const Points& centers, Context& context);

}  // namespace flexkern

#endif
