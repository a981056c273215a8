#include "distance.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {

namespace {
constexpr index_t kBlock = 512;
constexpr index_t kWorthThreads = 100000;
}  // namespace

PackedRows::PackedRows(const Points& x, int threads, Context& context)
    : rows_(x.rows()),
      cols_(x.cols()),
      width_((x.cols() + kPad - 1) / kPad * kPad),
      is_sparse_(x.is_sparse()),
      sparse_(x.sparse()) {
  if (is_sparse_) return;
  data_ = Buffer<double>(rows_ * width_);
  const index_t blocks = (rows_ + kBlock - 1) / kBlock;
  parallel_for(blocks, rows_ * cols_ < kWorthThreads ? 1 : threads, context, [&](index_t b, int) {
    const index_t first = b * kBlock;
    pack(x.dense(), first, std::min(kBlock, rows_ - first));
  });
}

PackedRows::PackedRows(const PackedRows& all, const std::vector<std::int32_t>& rows)
    : rows_(static_cast<index_t>(rows.size())),
      cols_(all.cols_),
      width_(all.width_),
      is_sparse_(all.is_sparse_) {
  if (is_sparse_) {
    own_ = SparseRows(all.sparse_, {rows.begin(), rows.end()});
    sparse_ = own_.ref();
    return;
  }
  data_ = Buffer<double>(rows_ * width_);
  for (index_t i = 0; i < rows_; ++i)
    std::copy_n(all.row(rows[static_cast<std::size_t>(i)]).value, width_,
                data_.data() + i * width_);
}

void PackedRows::pack(ConstMatrixRef x, index_t first, index_t count) {
  double* out = data_.data() + first * width_;
  for (index_t j = 0; j < width_; ++j) {
    if (j < x.cols()) {
      const double* in = x.col(j) + first;
      for (index_t i = 0; i < count; ++i) out[i * width_ + j] = in[i];
    } else {
      for (index_t i = 0; i < count; ++i) out[i * width_ + j] = 0.0;
    }
  }
}

RowMean::RowMean(const PackedRows& rows)
    : tail_(rows.tail()),
      sum_(static_cast<std::size_t>(rows.width()), 0.0),
      seen_(rows.is_sparse() ? sum_.size() : 0, 0) {}

void RowMean::add(const Row& row, double count) {
  if (!row.is_sparse()) {
    for (index_t k = 0; k < row.size; ++k)
      sum_[static_cast<std::size_t>(k)] += row.value[k] / count;
    return;
  }
  for (index_t e = 0; e < row.size; ++e) {
    const auto k = static_cast<std::size_t>(row.column[e]);
    if (!seen_[k]) column_.push_back(row.column[e]);
    seen_[k] = 1;
    sum_[k] += row.value[e] / count;
  }
}

Row RowMean::row() {
  if (tail_ < 0) return {sum_.data(), static_cast<index_t>(sum_.size())};
  std::sort(column_.begin(), column_.end());
  value_.clear();
  for (const std::int32_t k : column_) value_.push_back(sum_[static_cast<std::size_t>(k)]);
  return {value_.data(), static_cast<index_t>(value_.size()), column_.data(), tail_};
}

void RowMean::clear() {
  if (tail_ < 0) std::fill(sum_.begin(), sum_.end(), 0.0);
  for (const std::int32_t k : column_)
    sum_[static_cast<std::size_t>(k)] = seen_[static_cast<std::size_t>(k)] = 0;
  column_.clear();
}

}  // namespace flexkern
