#include "block_tiles.h"

#include <limits>
#include <utility>

namespace flexkern {
namespace {

// |u - v|^2 = |u|^2 + |v|^2 - 2 u'v in single precision is off by less than this share of
// |u|^2 + |v|^2: one unit of rounding for each of the columns and for a few more steps.
double rounding_share(index_t cols) {
  return static_cast<double>(cols + 16) * std::numeric_limits<float>::epsilon() / 2;
}

// What underflows is less than this.
double smallest_share(index_t cols) {
  return static_cast<double>(4 * cols + 16) * std::numeric_limits<float>::min();
}

std::vector<double> column_means(const double* points, index_t stride, index_t cols, index_t n) {
  std::vector<double> mean(static_cast<std::size_t>(cols), 0.0);
  for (index_t i = 0; i < n; ++i)
    for (index_t k = 0; k < cols; ++k)
      mean[static_cast<std::size_t>(k)] += points[i * stride + k] / static_cast<double>(n);
  return mean;
}

// For each block, how many units of `width` points the blocks before it take.
std::vector<index_t> first_units(const std::vector<index_t>& begin, index_t width) {
  std::vector<index_t> first{0};
  for (std::size_t b = 0; b + 1 < begin.size(); ++b)
    first.push_back(first.back() + round_up(begin[b + 1] - begin[b], width) / width);
  return first;
}

}  // namespace

BlockTiles::BlockTiles(const double* points, index_t stride, index_t cols,
                       std::vector<index_t> begin, const Micro& micro)
    : cols_(cols),
      micro_(micro),
      begin_(std::move(begin)),
      first_panel_(first_units(begin_, kPanel)),
      first_group_(first_units(begin_, micro.cols_f32)),
      margin_(rounding_share(cols)),
      floor_(smallest_share(cols)),
      norms_(at(begin_.back()), 0.0),
      panels_(first_panel_.back() * kPanel * cols),
      groups_(first_group_.back() * micro.cols_f32 * cols) {
  const auto mean = column_means(points, stride, cols, begin_.back());
  std::fill_n(panels_.data(), panels_.size(), 0.0f);
  std::fill_n(groups_.data(), groups_.size(), 0.0f);
  const index_t width = micro.cols_f32;
  for (index_t b = 0; b + 1 < static_cast<index_t>(begin_.size()); ++b)
    for (index_t r = 0; r < size(b); ++r) {
      const index_t i = begin_[at(b)] + r;
      float* panel = panels_.data() + (first_panel_[at(b)] + r / kPanel) * kPanel * cols;
      float* group = groups_.data() + (first_group_[at(b)] + r / width) * width * cols;
      for (index_t k = 0; k < cols; ++k) {
        const double u = points[i * stride + k] - mean[at(k)];
        norms_[at(i)] += u * u;
        panel[k * kPanel + r % kPanel] = group[k * width + r % width] = static_cast<float>(u);
      }
    }
}

void BlockTiles::multiply(index_t panel, index_t group, float* tile) const {
  const index_t width = micro_.cols_f32;
  std::fill_n(tile, kPanel * width, 0.0f);
  micro_.gemm_f32(cols_, panels_.data() + panel * kPanel * cols_,
                  groups_.data() + group * width * cols_, tile, kPanel);
}

double BlockTiles::bytes(index_t points, index_t blocks, index_t cols) {
  const double padded = 2 * static_cast<double>(points) + 22 * static_cast<double>(blocks);
  return padded * static_cast<double>(cols) * sizeof(float) +
         static_cast<double>(points) * sizeof(double);
}

}  // namespace flexkern
