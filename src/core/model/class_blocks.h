// The points of several classes, class by class, each class cut into compact blocks with a bounding
// box. Boxes bound the distances between blocks; tiles and verified distances do the rest.
#ifndef FLEXKERN_MODEL_CLASS_BLOCKS_H
#define FLEXKERN_MODEL_CLASS_BLOCKS_H

#include <cstdint>
#include <vector>

#include "core/base/context.h"
#include "core/device/cpu/block_tiles.h"
#include "distance.h"

namespace flexkern {

class ClassBlocks {
 public:
  // `label` is the class, 0 .. classes - 1, of each row of x; classes may be empty.
  ClassBlocks(ConstMatrixRef x, const std::vector<std::int32_t>& label, const Micro& micro,
              Context& context);

  index_t blocks() const { return static_cast<index_t>(begin_.size()) - 1; }
  index_t classes() const { return static_cast<index_t>(class_begin_.size()) - 1; }
  index_t begin(index_t block) const { return begin_[at(block)]; }
  std::int32_t class_of(index_t block) const { return class_of_[at(block)]; }
  // Blocks first_block(k) .. first_block(k + 1) - 1 hold class k.
  index_t first_block(index_t k) const { return class_begin_[at(k)]; }
  index_t class_size(index_t k) const { return begin(first_block(k + 1)) - begin(first_block(k)); }
  // The row of x at a place.
  std::int32_t row(index_t place) const { return order_[at(place)]; }
  // Squared distance of two places; see exact_distance().
  double distance(index_t i, index_t j, double limit) const {
    return exact_distance(points_.row(i), points_.row(j), limit);
  }
  const BlockTiles& tiles() const { return tiles_; }

  // Bounds of the squared distances between the points of two blocks.
  double lower_bound(index_t a, index_t b) const;
  double upper_bound(index_t a, index_t b) const;

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }
  std::vector<std::int32_t> ordered(const PackedRows& rows, const std::vector<std::int32_t>& label);
  void split(const PackedRows& rows, std::int32_t* first, std::int32_t* last, std::int32_t label);
  void bound(Context& context);

  std::vector<index_t> begin_{0}, class_begin_;
  std::vector<std::int32_t> class_of_;
  std::vector<std::int32_t> order_;
  PackedRows points_;
  BlockTiles tiles_;
  Buffer<double> low_, high_;
};

}  // namespace flexkern

#endif
