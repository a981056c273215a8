#include "class_blocks.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

// The column in which the rows differ most.
index_t widest_column(const PackedRows& rows, const std::int32_t* first, const std::int32_t* last) {
  std::vector<double> low(rows.row(*first).value, rows.row(*first).value + rows.width()),
      high = low;
  for (const std::int32_t* i = first + 1; i < last; ++i) {
    const double* x = rows.row(*i).value;
    for (std::size_t k = 0; k < low.size(); ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  index_t widest = 0;
  for (std::size_t k = 0; k < low.size(); ++k) {
    high[k] -= low[k];
    if (high[k] > high[static_cast<std::size_t>(widest)]) widest = static_cast<index_t>(k);
  }
  return widest;
}

}  // namespace

ClassBlocks::ClassBlocks(ConstMatrixRef x, const std::vector<std::int32_t>& label,
                         const Micro& micro, Context& context)
    : order_(ordered(PackedRows(x, context), label)),
      points_(PackedRows(x, context), order_),
      tiles_(points_.row(0).value, points_.width(), x.cols(), begin_, micro) {
  bound(context);
}

// The rows of x class by class and, within a class, block by block.
std::vector<std::int32_t> ClassBlocks::ordered(const PackedRows& rows,
                                               const std::vector<std::int32_t>& label) {
  std::vector<std::int32_t> order(label.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return label[i] < label[j]; });
  const std::int32_t classes = label[at(order.back())] + 1;
  std::int32_t *first = order.data(), *end = order.data() + order.size();
  for (std::int32_t k = 0; k < classes; ++k) {
    class_begin_.push_back(blocks());
    std::int32_t* last = first;
    while (last < end && label[*last] == k) ++last;
    if (last > first) split(rows, first, last, k);
    first = last;
  }
  class_begin_.push_back(blocks());
  return order;
}

// Halves along the widest column, in whole blocks, until a block is left.
void ClassBlocks::split(const PackedRows& rows, std::int32_t* first, std::int32_t* last,
                        std::int32_t label) {
  const index_t count = last - first;
  if (count <= BlockTiles::kMaxPoints) {
    begin_.push_back(begin_.back() + count);
    class_of_.push_back(label);
    return;
  }
  const index_t k = widest_column(rows, first, last);
  std::int32_t* middle = first + round_up(count / 2, BlockTiles::kMaxPoints);
  std::nth_element(first, middle, last,
                   [&](auto i, auto j) { return rows.row(i).value[k] < rows.row(j).value[k]; });
  split(rows, first, middle, label);
  split(rows, middle, last, label);
}

void ClassBlocks::bound(Context& context) {
  const index_t width = points_.width();
  low_ = Buffer<double>(blocks() * width);
  high_ = Buffer<double>(blocks() * width);
  parallel_for(blocks(), points_.rows() * width < 100000 ? 1 : context.threads, context,
               [&](index_t b, int) {
                 double *low = low_.data() + b * width, *high = high_.data() + b * width;
                 std::copy_n(points_.row(begin(b)).value, width, low);
                 std::copy_n(points_.row(begin(b)).value, width, high);
                 for (index_t i = begin(b) + 1; i < begin(b + 1); ++i)
                   for (index_t k = 0; k < width; ++k) {
                     low[k] = std::min(low[k], points_.row(i).value[k]);
                     high[k] = std::max(high[k], points_.row(i).value[k]);
                   }
               });
}

double ClassBlocks::lower_bound(index_t a, index_t b) const {
  const index_t width = points_.width();
  const double *al = low_.data() + a * width, *ah = high_.data() + a * width;
  const double *bl = low_.data() + b * width, *bh = high_.data() + b * width;
  double sum = 0;
  for (index_t k = 0; k < width; ++k) {
    const double gap = std::max(0.0, std::max(al[k] - bh[k], bl[k] - ah[k]));
    sum += gap * gap;
  }
  return sum;
}

double ClassBlocks::upper_bound(index_t a, index_t b) const {
  const index_t width = points_.width();
  const double *al = low_.data() + a * width, *ah = high_.data() + a * width;
  const double *bl = low_.data() + b * width, *bh = high_.data() + b * width;
  double sum = 0;
  for (index_t k = 0; k < width; ++k) {
    const double reach = std::max(ah[k] - bl[k], bh[k] - al[k]);
    sum += reach * reach;
  }
  return sum;
}

}  // namespace flexkern
