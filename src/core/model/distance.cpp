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

void RowMean::add(const Row& row, double count) {
  for (index_t e = 0; e < row.size; ++e)
    sum_[static_cast<std::size_t>(row.is_sparse() ? row.column[e] : e)] += row.value[e] / count;
  if (row.is_sparse()) columns_.insert(columns_.end(), row.column, row.column + row.size);
}

// |m|^2 + sum ((x - m)^2 - m^2) over the entries of a sparse row.
double RowMean::squared_distance(const Row& row, double limit) {
  if (!row.is_sparse()) return dense_distance(row.value, sum_.data(), row.size, limit);
  double sum = norm();
  for (index_t e = 0; e < row.size; ++e)
    sum += row.value[e] * (row.value[e] - 2 * sum_[static_cast<std::size_t>(row.column[e])]);
  return sum;
}

double RowMean::norm() {
  if (norm_ >= 0) return norm_;
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  norm_ = 0;
  for (const std::int32_t k : columns_)
    norm_ += sum_[static_cast<std::size_t>(k)] * sum_[static_cast<std::size_t>(k)];
  return norm_;
}

void RowMean::clear() {
  if (columns_.empty()) std::fill(sum_.begin(), sum_.end(), 0.0);
  for (const std::int32_t k : columns_) sum_[static_cast<std::size_t>(k)] = 0;
  columns_.clear();
  norm_ = -1;
}

double squared_norm(const Row& x) {
  double sum = 0;
  for (index_t e = 0; e < x.size; ++e) sum += x.value[e] * x.value[e];
  return sum;
}

RowsByColumn::RowsByColumn(const PackedRows& rows)
    : columns_(SparseRows::transpose(rows.sparse())) {
  for (index_t j = 0; j < rows.rows(); ++j) norms_.push_back(squared_norm(rows.row(j)));
}

std::vector<double> RowsByColumn::squared_distances(const Row& x) const {
  std::vector<double> distance = norms_;
  const double norm = squared_norm(x);
  for (double& d : distance) d += norm;
  for (index_t e = 0; e < x.size; ++e) {
    const SparseRow rows = columns_.ref().row(x.column[e]);
    for (index_t o = 0; o < rows.size; ++o)
      distance[static_cast<std::size_t>(rows.column[o])] -= 2 * x.value[e] * rows.value[o];
  }
  return distance;
}

}  // namespace flexkern
