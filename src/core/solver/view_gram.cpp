#include "view_gram.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/device/cpu/pairwise.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Rows = std::vector<index_t>;

constexpr index_t kDistanceRows = 4000;

ConstMatrixRef view(const MatrixXd& m) { return {m.data(), m.rows(), m.cols()}; }

MatrixXd gather(const MatrixXd& m, const Rows& rows) {
  MatrixXd out(rows.size(), m.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<index_t>(i)) = m.row(rows[i]);
  return out;
}

// Calls visit(panel, values) with the base quantities of 16 rows and all centers.
template <typename Visit>
void each_panel(const MatrixXd& x, const MatrixXd& centers, bool distance, const Micro& micro,
                Context& context, Visit visit) {
  const PackedPoints packed(view(centers), distance, micro);
  PanelPairs pairs(view(x), packed, micro);
  Buffer<double> values(kPanel * std::max<index_t>(centers.rows(), 1));
  for (index_t p = 0; p * kPanel < x.rows(); ++p) {
    context.check();
    pairs.select(p);
    pairs.evaluate(0, centers.rows(), values.data());
    visit(p, values.data());
  }
}

MatrixXd kernel_matrix(const MatrixXd& x, const MatrixXd& centers, const Kernel& kernel,
                       const Micro& micro, Context& context) {
  MatrixXd out(x.rows(), centers.rows());
  each_panel(x, centers, kernel.uses_distance(), micro, context, [&](index_t p, double* values) {
    apply_kernel(kernel, micro, kPanel * centers.rows(), values, values);
    const index_t rows = std::min(kPanel, x.rows() - p * kPanel);
    for (index_t j = 0; j < centers.rows(); ++j)
      std::copy_n(values + j * kPanel, rows, out.col(j).data() + p * kPanel);
  });
  return out;
}

}  // namespace

ViewGram::ViewGram(MatrixXd x, const Kernel& kernel, const Micro& micro)
    : data_(std::move(x)), kernel_(kernel), micro_(&micro) {}

Eigen::VectorXd ViewGram::diagonal() const {
  if (is_given_) return data_.diagonal();
  const std::vector<double> values = kernel_diagonal(view(data_), kernel_, *micro_);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), size());
}

void ViewGram::column(index_t j, index_t first, index_t count, double* out) const {
  if (is_given_) {
    std::copy_n(data_.col(j).data() + first, count, out);
    return;
  }
  Buffer<double> base(round_up(std::max<index_t>(count, 1), kPanel));
  std::fill_n(base.data(), base.size(), 0.0);
  for (index_t k = 0; k < data_.cols(); ++k) {
    const double *v = data_.col(k).data() + first, c = data_(j, k);
    if (kernel_.uses_distance())
      for (index_t i = 0; i < count; ++i) base[i] += (v[i] - c) * (v[i] - c);
    else
      for (index_t i = 0; i < count; ++i) base[i] += v[i] * c;
  }
  apply_kernel(kernel_, *micro_, base.size(), base.data(), base.data());
  std::copy_n(base.data(), count, out);
}

MatrixXd ViewGram::columns(const Rows& rows, Context& context) const {
  if (!is_given_) return kernel_matrix(data_, gather(data_, rows), kernel_, *micro_, context);
  MatrixXd out(size(), static_cast<index_t>(rows.size()));
  for (std::size_t j = 0; j < rows.size(); ++j)
    out.col(static_cast<index_t>(j)) = data_.col(rows[j]);
  return out;
}

MatrixXd ViewGram::all(Context& context) const {
  return is_given_ ? data_ : kernel_matrix(data_, data_, kernel_, *micro_, context);
}

ViewGram ViewGram::subset(const Rows& rows, Context& context) const {
  if (!is_given_) return {gather(data_, rows), kernel_, *micro_};
  return ViewGram(gather(columns(rows, context), rows));
}

double mean_distance(const MatrixXd& x, const Micro& micro, Context& context) {
  const index_t n = x.rows(), used = std::min(n, kDistanceRows);
  if (used == 0) return 0;
  Rows rows(static_cast<std::size_t>(used));
  for (index_t i = 0; i < used; ++i) rows[static_cast<std::size_t>(i)] = i * n / used;
  const MatrixXd chosen = gather(x, rows);
  double sum = 0;
  each_panel(chosen, chosen, true, micro, context, [&](index_t p, const double* values) {
    const index_t count = std::min(kPanel, used - p * kPanel);
    for (index_t j = 0; j < used; ++j)
      for (index_t r = 0; r < count; ++r) sum += std::sqrt(values[j * kPanel + r]);
  });
  return sum / (static_cast<double>(used) * static_cast<double>(used));
}

}  // namespace flexkern
