#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/Jacobi>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "dense_steps.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr index_t kWhole = 600;  // order up to which a matrix is decomposed in one step
constexpr index_t kReflectors = 48;
constexpr index_t kMostSteps = 50;  // for each eigenvalue; two are usual
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// A = Q T Q', T tridiagonal, Q a product of reflections, of which column k of `reflectors` holds
// one from row k + 1 on.
struct Tridiagonal {
  VectorXd diagonal, beside, scale;
  MatrixXd reflectors;
};

// Golub and Van Loan, Algorithm 8.3.1.
Tridiagonal tridiagonal(MatrixXd a, Context& context) {
  const index_t n = a.rows();
  Tridiagonal t{VectorXd(n), VectorXd(n - 1), VectorXd(n - 1), {}};
  for (index_t k = 0; k + 1 < n; ++k) {
    context.check();
    const index_t left = n - k - 1;
    auto v = a.col(k).tail(left);
    auto rest = a.bottomRightCorner(left, left);
    v.makeHouseholderInPlace(t.scale[k], t.beside[k]);
    v[0] = 1;
    VectorXd w = rest.selfadjointView<Eigen::Lower>() * (t.scale[k] * v);
    w -= t.scale[k] / 2 * w.dot(v) * v;
    rest.selfadjointView<Eigen::Lower>().rankUpdate(v, w, -1);
  }
  t.diagonal = a.diagonal();
  t.reflectors = std::move(a);
  return t;
}

// Q, block by block from the last reflections on, which reach the lower right corner only.
MatrixXd orthogonal(const Tridiagonal& t, Context& context) {
  const index_t n = t.diagonal.size();
  MatrixXd q = MatrixXd::Identity(n, n);
  for (index_t k = (n - 2) / kReflectors * kReflectors; k >= 0; k -= kReflectors) {
    const index_t width = std::min(kReflectors, n - 1 - k), left = n - k;
    const MatrixXd vectors = t.reflectors.block(k, k, left, width);
    const VectorXd scale = t.scale.segment(k, width);
    const double operations = 4.0 * static_cast<double>(width * left);
    in_steps(left, operations, context, [&](index_t first, index_t count) {
      auto part = q.block(k, k + first, left, count);
      part = Eigen::householderSequence(vectors, scale).setLength(width).setShift(1) * part;
    });
  }
  return q;
}

// One step with an implicit shift on rows first .. last of T (Golub and Van Loan, Algorithm 8.3.2);
// the columns of q, if there are any, turn along.
void qr_step(VectorXd& diagonal, VectorXd& beside, index_t first, index_t last, MatrixXd& q) {
  const double half = (diagonal[last - 1] - diagonal[last]) / 2, corner = beside[last - 1];
  const double shift =
      diagonal[last] - corner / (half + std::copysign(std::hypot(half, corner), half)) * corner;
  double x = diagonal[first] - shift, z = beside[first];
  for (index_t k = first; k < last; ++k) {
    const double r = std::hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
    if (k > first) beside[k - 1] = r;
    const double t = s * (diagonal[k + 1] - diagonal[k]) + 2 * c * beside[k];
    diagonal[k] += s * t;
    diagonal[k + 1] -= s * t;
    beside[k] = c * t - beside[k];
    if (k + 1 < last) {
      x = beside[k];
      z = s * beside[k + 1];
      beside[k + 1] *= c;
    }
    if (q.cols() > 0) q.applyOnTheRight(k, k + 1, Eigen::JacobiRotation<double>(c, -s));
  }
}

void diagonalize(VectorXd& diagonal, VectorXd& beside, MatrixXd& q, Context& context) {
  const auto is_split = [&](index_t k) {
    return std::abs(beside[k]) <= kEpsilon * (std::abs(diagonal[k]) + std::abs(diagonal[k + 1]));
  };
  index_t steps = 0;
  for (index_t last = diagonal.size() - 1; last > 0;) {
    if (is_split(last - 1)) {
      --last;
      continue;
    }
    index_t first = last - 1;
    while (first > 0 && !is_split(first - 1)) --first;
    context.check();
    require(++steps <= kMostSteps * diagonal.size(), "eigenvalues do not converge");
    qr_step(diagonal, beside, first, last, q);
  }
}

SymmetricEigen sorted(const VectorXd& values, const MatrixXd& vectors) {
  std::vector<index_t> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](index_t a, index_t b) { return values[a] < values[b]; });
  SymmetricEigen out{VectorXd(values.size()), MatrixXd(vectors.rows(), vectors.cols())};
  for (index_t k = 0; k < values.size(); ++k) {
    const index_t from = order[static_cast<std::size_t>(k)];
    out.values[k] = values[from];
    if (vectors.cols() > 0) out.vectors.col(k) = vectors.col(from);
  }
  return out;
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& a, bool with_vectors, Context& context) {
  context.check();
  if (a.rows() <= kWhole) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(
        a, with_vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
    return {eigen.eigenvalues(), with_vectors ? eigen.eigenvectors() : MatrixXd()};
  }
  const double largest = a.cwiseAbs().maxCoeff(), size = largest > 0 ? largest : 1;
  require(std::isfinite(size), "a matrix has values that are not finite");
  Tridiagonal t = tridiagonal(a / size, context);
  MatrixXd q;
  if (with_vectors) q = orthogonal(t, context);
  t.reflectors.resize(0, 0);
  diagonalize(t.diagonal, t.beside, q, context);
  return sorted(size * t.diagonal, q);
}

}  // namespace flexkern
