#include "dense_steps.h"

#include <Eigen/Cholesky>

namespace flexkern {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr index_t kWhole = 800;  // order up to which a matrix is factored in one step
constexpr index_t kBlock = 128;

bool factor_block(Eigen::Ref<MatrixXd> a) {
  return Eigen::LLT<Eigen::Ref<MatrixXd>>(a).info() == Eigen::Success;
}

}  // namespace

bool cholesky_in_place(MatrixXd& a, Context& context) {
  const index_t n = a.rows();
  if (n <= kWhole) return factor_block(a);
  for (index_t k = 0; k < n; k += kBlock) {
    const index_t width = std::min(kBlock, n - k), next = k + width, rest = n - next;
    auto diagonal = a.block(k, k, width, width);
    auto below = a.block(next, k, rest, width);
    if (!factor_block(diagonal)) return false;
    in_steps(rest, static_cast<double>(width * width), context, [&](index_t first, index_t count) {
      auto rows = below.middleRows(first, count);
      diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(rows);
    });
    in_steps(rest, 2.0 * static_cast<double>(width * rest), context,
             [&](index_t first, index_t count) {
               a.block(next + first, next + first, rest - first, count).noalias() -=
                   below.bottomRows(rest - first) * below.middleRows(first, count).transpose();
             });
  }
  return true;
}

VectorXd solve_factored(const MatrixXd& factor, VectorXd b) {
  factor.triangularView<Eigen::Lower>().solveInPlace(b);
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
  return b;
}

MatrixXd inverse_transposed(const MatrixXd& factor, Context& context) {
  const index_t r = factor.rows();
  MatrixXd out = MatrixXd::Identity(r, r);
  in_steps(r, static_cast<double>(r * r), context, [&](index_t first, index_t count) {
    auto columns = out.middleCols(first, count);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
  });
  return out;
}

void divide_by_transposed(const MatrixXd& factor, MatrixXd& x, Context& context) {
  const double r = static_cast<double>(factor.rows());
  in_steps(x.rows(), r * r, context, [&](index_t first, index_t count) {
    auto rows = x.middleRows(first, count);
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(rows);
  });
}

MatrixXd product(const MatrixXd& a, const MatrixXd& b, Context& context) {
  MatrixXd out(a.rows(), b.cols());
  in_steps(b.cols(), 2.0 * static_cast<double>(a.size()), context,
           [&](index_t first, index_t count) {
             out.middleCols(first, count).noalias() = a * b.middleCols(first, count);
           });
  return out;
}

}  // namespace flexkern
