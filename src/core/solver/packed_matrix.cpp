#include "packed_matrix.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "core/device/cpu/update.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;

constexpr index_t kDepth = 512;   // rows of the right factor that stay in the cache
constexpr index_t kPanels = 4;    // panels that one work item covers
constexpr index_t kColumns = 64;  // columns of a Gram matrix at a time

ConstMatrixRef view(const MatrixXd& m) { return {m.data(), m.rows(), m.cols()}; }

Buffer<double> pack_rows(const MatrixXd& a) {
  const index_t panels = round_up(a.rows(), kPanel) / kPanel;
  Buffer<double> out(panels * kPanel * a.cols());
  for (index_t p = 0; p < panels; ++p)
    pack_panel(view(a), p * kPanel, out.data() + p * kPanel * a.cols());
  return out;
}

}  // namespace

PackedMatrix::PackedMatrix(const MatrixXd& values, const Micro& micro, int threads,
                           Context& context)
    : rows_(values.rows()),
      cols_(values.cols()),
      micro_(micro),
      threads_(threads),
      context_(context),
      by_rows_(pack_rows(values)),
      by_columns_(pack_rows(values.transpose())) {}

MatrixXd PackedMatrix::product(const Buffer<double>& panels, index_t rows, index_t depth,
                               const MatrixXd& right) const {
  const index_t unit = micro_.cols_f64, cols = right.cols(), padded = round_up(rows, kPanel);
  Buffer<double> groups(round_up(cols, unit) * std::max<index_t>(depth, 1));
  pack_columns(right.data(), depth, cols, unit, 0, depth, depth, groups.data());
  MatrixXd out = MatrixXd::Zero(padded, cols);
  const index_t count = padded / kPanel;
  parallel_for((count + kPanels - 1) / kPanels, threads_, context_, [&](index_t item, int) {
    for (index_t k = 0; k < depth; k += kDepth)
      for (index_t p = item * kPanels; p < std::min(count, (item + 1) * kPanels); ++p)
        update_panel(micro_, std::min(kDepth, depth - k), panels.data() + (p * depth + k) * kPanel,
                     groups.data() + k * unit, unit * depth, cols, out.data() + p * kPanel, padded);
  });
  if (padded != rows) out.conservativeResize(rows, cols);
  return out;
}

MatrixXd PackedMatrix::times(const MatrixXd& right) const {
  return product(by_rows_, rows_, cols_, right);
}

MatrixXd PackedMatrix::transposed_times(const MatrixXd& right) const {
  return product(by_columns_, cols_, rows_, right);
}

MatrixXd PackedMatrix::gram(const Eigen::VectorXd& weights) const {
  MatrixXd out(cols_, cols_);
  for (index_t first = 0; first < cols_; first += kColumns) {
    const index_t count = std::min(kColumns, cols_ - first);
    MatrixXd part(rows_, count);
    for (index_t c = 0; c < count; ++c)
      for (index_t i = 0; i < rows_; ++i)
        part(i, c) = weights[i] * by_rows_[(i / kPanel * cols_ + first + c) * kPanel + i % kPanel];
    out.middleCols(first, count) = transposed_times(part);
  }
  return out;
}

}  // namespace flexkern
