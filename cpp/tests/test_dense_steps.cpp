// Dense operations in steps: what they compute, and that they can be stopped.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "core/base/error.h"
#include "core/solver/dense_steps.h"
#include "random_data.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(index_t rows, index_t cols, std::uint64_t seed) {
  const Data d = uniform_data(rows, cols, seed);
  return Eigen::Map<const MatrixXd>(d.values.data(), rows, cols);
}

double worst(const MatrixXd& a) { return a.cwiseAbs().maxCoeff(); }

// On both sides of the order up to which everything is one step.
constexpr index_t kOrders[] = {1, 2, 40, 810};

TEST(DenseSteps, EveryPartIsVisitedOnce) {
  Context context;
  for (double operations : {0.0, 1e6, 1e12}) {
    index_t next = 0;
    in_steps(1000, operations, context, [&](index_t first, index_t count) {
      EXPECT_EQ(first, next);
      next += count;
    });
    EXPECT_EQ(next, 1000);
  }
}

TEST(DenseSteps, CholeskyAndItsTriangles) {
  Context context;
  for (index_t n : kOrders) {
    const MatrixXd b = random_matrix(n, n, 1);
    const MatrixXd a = b * b.transpose() + MatrixXd::Identity(n, n);
    MatrixXd factor = a;
    ASSERT_TRUE(cholesky_in_place(factor, context));
    const MatrixXd l = factor.triangularView<Eigen::Lower>();
    EXPECT_LT(worst(l * l.transpose() - a), 1e-10 * worst(a));
    const VectorXd x = VectorXd::LinSpaced(n, -1, 1);
    EXPECT_LT(worst(a * solve_factored(factor, x) - x), 1e-9);
    EXPECT_LT(worst(l.transpose() * inverse_transposed(l, context) - MatrixXd::Identity(n, n)),
              1e-9);
    MatrixXd right = random_matrix(7, n, 2);
    const MatrixXd before = right;
    divide_by_transposed(l, right, context);
    EXPECT_LT(worst(right * l.transpose() - before), 1e-9);
    MatrixXd indefinite = a;
    indefinite(n - 1, n - 1) = -1;
    EXPECT_FALSE(cholesky_in_place(indefinite, context));
  }
}

TEST(DenseSteps, ProductsOfManySteps) {
  Context context;
  const MatrixXd a = random_matrix(1500, 400, 3), b = random_matrix(400, 500, 4);
  EXPECT_LT(worst(product(a, b, context) - a * b), 1e-11);
}

void check_eigen(const MatrixXd& a) {
  Context context;
  const index_t n = a.rows();
  const SymmetricEigen eigen = symmetric_eigen(a, true, context);
  const double size = std::max(worst(a), 1e-300);
  EXPECT_TRUE(std::is_sorted(eigen.values.data(), eigen.values.data() + n));
  EXPECT_LT(worst(eigen.vectors.transpose() * eigen.vectors - MatrixXd::Identity(n, n)), 1e-11);
  EXPECT_LT(worst(a * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()),
            1e-11 * static_cast<double>(n) * size);
  EXPECT_LT(worst(symmetric_eigen(a, false, context).values - eigen.values),
            1e-12 * static_cast<double>(n) * size);
}

TEST(SymmetricEigen, DecomposesWhateverTheSpectrum) {
  for (index_t n : {1, 30, 610}) {
    const MatrixXd b = random_matrix(n, n, 5);
    check_eigen(b + b.transpose());
    const MatrixXd thin = b.leftCols((n + 9) / 10);
    check_eigen(thin * thin.transpose());
    check_eigen((n > 30 ? 1e200 : 1e-200) * (b + b.transpose()));
    check_eigen(MatrixXd::Identity(n, n));
    check_eigen(MatrixXd::Zero(n, n));
  }
}

TEST(SymmetricEigen, FindsTheValuesThatEigenFinds) {
  Context context;
  const MatrixXd b = random_matrix(650, 650, 6), a = b + b.transpose();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a, Eigen::EigenvaluesOnly);
  EXPECT_LT(worst(symmetric_eigen(a, true, context).values - eigen.eigenvalues()), 1e-10);
}

struct Stop {};

TEST(DenseSteps, CanBeStopped) {
  const MatrixXd b = random_matrix(900, 900, 7);
  MatrixXd a = b * b.transpose() + MatrixXd::Identity(900, 900);
  Context context;
  context.cancel();
  EXPECT_THROW(cholesky_in_place(a, context), Cancelled);
  EXPECT_THROW(symmetric_eigen(a, true, context), Cancelled);
  EXPECT_THROW(product(a, a, context), Cancelled);
  EXPECT_THROW(inverse_transposed(a, context), Cancelled);
  // Also once it is under way.
  Context polled;
  int left = 3;
  polled.poll = [&] {
    if (--left == 0) throw Stop();
  };
  EXPECT_THROW(symmetric_eigen(a, true, polled), Stop);
}

}  // namespace
}  // namespace flexkern
