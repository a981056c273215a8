#include "ridge_view.h"

#include "dense_steps.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kFew = 6;  // systems that are cheaper to factor one by one

}  // namespace

RidgeView::RidgeView(const PackedMatrix& view, const MatrixXd& gram,
                     const std::vector<Ridge>& ridges, Context& context)
    : view_(view), ridges_(ridges) {
  if (ridges.size() <= kFew && factor(gram, context)) return;
  SymmetricEigen eigen = symmetric_eigen(gram, true, context);
  values_ = eigen.values.cwiseMax(0.0);
  vectors_ = std::move(eigen.vectors);
  turned_ =
      std::make_unique<PackedMatrix>(view.times(vectors_), view.micro(), view.threads(), context);
}

VectorXd RidgeView::turned(const VectorXd& v) const {
  return turned_ ? VectorXd(vectors_.transpose() * v) : v;
}

VectorXd RidgeView::restored(const VectorXd& v) const {
  return turned_ ? VectorXd(vectors_ * v) : v;
}

// False where rounding makes a system indefinite.
bool RidgeView::factor(const MatrixXd& gram, Context& context) {
  for (const Ridge& r : ridges_) {
    MatrixXd a = r.scale * gram;
    a.diagonal().array() += r.shift;
    if (!cholesky_in_place(a, context)) return false;
    factors_.push_back(std::move(a));
  }
  return true;
}

MatrixXd RidgeView::solve(const MatrixXd& right, const std::vector<std::size_t>& which) const {
  if (!turned_) {
    MatrixXd out(right.rows(), right.cols());
    for (index_t k = 0; k < right.cols(); ++k)
      out.col(k) = solve_factored(factors_[which[static_cast<std::size_t>(k)]], right.col(k));
    return out;
  }
  MatrixXd out = right;
  for (index_t k = 0; k < right.cols(); ++k) {
    const Ridge& r = ridges_[which[static_cast<std::size_t>(k)]];
    out.col(k).array() /= r.scale * values_.array() + r.shift;
  }
  return out;
}

}  // namespace flexkern
