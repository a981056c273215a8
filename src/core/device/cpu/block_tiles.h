// Which pairs of points of two blocks may lie nearer or farther than a limit. Inner products in
// single precision, with a margin above their rounding, never miss a pair; whoever asks verifies
// the few that remain in double precision.
#ifndef FLEXKERN_DEVICE_CPU_BLOCK_TILES_H
#define FLEXKERN_DEVICE_CPU_BLOCK_TILES_H

#include <algorithm>
#include <vector>

#include "micro.h"

namespace flexkern {

// Points in single precision, moved to their mean, packed block by block as left and right factors.
class BlockTiles {
 public:
  static constexpr index_t kMaxPoints = 48;  // in a block: whole panels and whole groups

  // Point i is at points + i * stride; block b holds points begin[b] .. begin[b + 1] - 1.
  BlockTiles(const double* points, index_t stride, index_t cols, std::vector<index_t> begin,
             const Micro& micro);

  // Calls visit(i, j) for all pairs (i of block a, j of block b) whose squared distance may be at
  // most limit(i), and for a few others. A visit may lower its limit.
  template <typename Limit, typename Visit>
  void near(index_t a, index_t b, Limit limit, Visit visit) const {
    scan<true>(a, b, limit, visit);
  }
  // The same for pairs whose squared distance may be at least limit(i), which a visit may raise.
  template <typename Limit, typename Visit>
  void far(index_t a, index_t b, Limit limit, Visit visit) const {
    scan<false>(a, b, limit, visit);
  }

  static double bytes(index_t points, index_t blocks, index_t cols);

 private:
  template <bool Near, typename Limit, typename Visit>
  void scan(index_t a, index_t b, Limit limit, Visit visit) const;
  index_t size(index_t block) const { return begin_[at(block + 1)] - begin_[at(block)]; }
  void multiply(index_t panel, index_t group, float* tile) const;
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

  // With s = 1 (near) or -1 (far), the pair of u and v stays when s u'v >= key(u) + key(v), where
  // 2 key(u) = s (1 - s margin) |u|^2 - s limit - floor and key(v) has no limit: up to the margin
  // this is s |u - v|^2 <= s limit.
  template <bool Near>
  float key(index_t i, double limit) const {
    constexpr double s = Near ? 1 : -1;
    return static_cast<float>((s * ((1 - s * margin_) * norms_[at(i)] - limit) - floor_) / 2);
  }
  // How many of 16 rows stay: a loop of constant length, which compilers turn into vector code.
  template <bool Near>
  static int count(const float* product, const float* row_key, float column_key) {
    int found = 0;
    for (index_t l = 0; l < kPanel; ++l)
      found += excess<Near>(product[l], row_key[l]) >= column_key;
    return found;
  }
  template <bool Near>
  static float excess(float product, float row_key) {
    return (Near ? product : -product) - row_key;
  }

  index_t cols_;
  const Micro& micro_;
  std::vector<index_t> begin_, first_panel_, first_group_;
  double margin_, floor_;
  std::vector<double> norms_;
  Buffer<float> panels_, groups_;
};

template <bool Near, typename Limit, typename Visit>
void BlockTiles::scan(index_t a, index_t b, Limit limit, Visit visit) const {
  const index_t rows = size(a), cols = size(b), row = begin_[at(a)], col = begin_[at(b)];
  const index_t width = micro_.cols_f32;
  float row_key[kMaxPoints], tile[kPanel * 32];
  std::fill_n(row_key, kMaxPoints, 3e38f);  // never reached
  for (index_t i = 0; i < rows; ++i) row_key[i] = key<Near>(row + i, limit(row + i));
  for (index_t g = 0; g * width < cols; ++g)
    for (index_t p = 0; p < rows; p += kPanel) {
      multiply(first_panel_[at(a)] + p / kPanel, first_group_[at(b)] + g, tile);
      for (index_t j = g * width; j < std::min(cols, (g + 1) * width); ++j) {
        const float* product = tile + (j - g * width) * kPanel;
        const float column_key = key<Near>(col + j, 0);
        if (count<Near>(product, row_key + p, column_key) == 0) continue;
        for (index_t i = p; i < std::min(rows, p + kPanel); ++i) {
          if (excess<Near>(product[i - p], row_key[i]) < column_key) continue;
          visit(row + i, col + j);
          row_key[i] = key<Near>(row + i, limit(row + i));
        }
      }
    }
}

}  // namespace flexkern

#endif
