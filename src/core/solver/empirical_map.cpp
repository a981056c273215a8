#include "empirical_map.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "dense_steps.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Rows = std::vector<index_t>;
using Rule = BasisOptions::Rule;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

double units(index_t n) { return static_cast<double>(n) * kEpsilon; }

MatrixXd gather_rows(const MatrixXd& m, const Rows& rows) {
  MatrixXd out(rows.size(), m.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<index_t>(i)) = m.row(rows[i]);
  return out;
}

// Basis rows into rising order, with the rows of T.
void sort_basis(EmpiricalMap& map) {
  Rows order(map.basis.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](index_t a, index_t b) {
    return map.basis[static_cast<std::size_t>(a)] < map.basis[static_cast<std::size_t>(b)];
  });
  Rows sorted;
  for (index_t i : order) sorted.push_back(map.basis[static_cast<std::size_t>(i)]);
  map.transform = gather_rows(map.transform, order);
  map.basis = std::move(sorted);
}

// The factor L of the pivots' own Gram matrix gives T = L'^-1.
EmpiricalMap cholesky_map(CholeskyBasis found, Context& context) {
  EmpiricalMap map;
  map.rank = static_cast<index_t>(found.pivots.size());
  map.indefinite = found.is_indefinite();
  map.transform = inverse_transposed(gather_rows(found.factor, found.pivots), context);
  map.features = std::move(found.factor);
  map.basis = std::move(found.pivots);
  sort_basis(map);
  return map;
}

// T = Q Lambda^-1/2 on the eigenvalues of the basis rows' Gram matrix above rounding, at most so
// many.
EmpiricalMap eigen_map(const ViewGram& gram, const Rows& basis, double tol, index_t most,
                       Context& context) {
  EmpiricalMap map;
  map.basis = basis;
  const MatrixXd columns = gram.columns(basis, context);
  const SymmetricEigen eigen = symmetric_eigen(gather_rows(columns, basis), true, context);
  const Eigen::VectorXd& values = eigen.values;
  const index_t m = values.size();
  const double top = m > 0 ? std::max(values[m - 1], -values[0]) : 0;
  index_t kept = 0;
  while (kept < std::min(m, most) && values[m - 1 - kept] > tol * top) ++kept;
  map.indefinite = m > 0 && values[0] < -1e-9 * top;
  map.transform = eigen.vectors.rightCols(kept).rowwise().reverse() *
                  values.tail(kept).reverse().cwiseSqrt().cwiseInverse().asDiagonal();
  map.features = product(columns, map.transform, context);
  map.rank = kept;
  return map;
}

// T = Q Lambda^-1/2 Q' (equation (5) of the paper).
EmpiricalMap symmetric_map(const ViewGram& gram, Rows basis, double tol, Context& context) {
  std::sort(basis.begin(), basis.end());
  EmpiricalMap map = eigen_map(gram, basis, tol, gram.size(), context);
  const MatrixXd turn = map.transform.colwise().normalized().transpose();
  map.transform = product(map.transform, turn, context);
  map.features = product(map.features, turn, context);
  map.rank = map.rank > 0 ? static_cast<index_t>(basis.size()) : 0;
  return map;
}

// The span of rows that a rule chose; rounding may have let dependent ones in.
EmpiricalMap span_map(const ViewGram& gram, const Rows& basis, bool symmetric, Context& context) {
  const double tol = units(static_cast<index_t>(basis.size()));
  if (symmetric) return symmetric_map(gram, basis, tol, context);
  const CholeskyBasis own =
      greedy_cholesky(gram.subset(basis, context), tol, gram.size(), 1, context);
  EmpiricalMap map;
  if (own.is_indefinite()) {
    map = eigen_map(gram, basis, tol, gram.size(), context);
  } else {
    for (index_t i : own.pivots) map.basis.push_back(basis[static_cast<std::size_t>(i)]);
    const MatrixXd factor = gather_rows(own.factor, own.pivots);
    map.transform = inverse_transposed(factor, context);
    map.features = gram.columns(map.basis, context);
    divide_by_transposed(factor, map.features, context);
    sort_basis(map);
  }
  map.rank = map.features.cols() > 0 ? static_cast<index_t>(basis.size()) : 0;
  return map;
}

Rows eliminated(const ViewGram& gram, double tol, index_t most, Context& context) {
  MatrixXd k = gram.all(context);
  return eliminate(k, tol * k.cwiseAbs().rowwise().sum().maxCoeff(), most, context);
}

}  // namespace

EmpiricalMap empirical_map(const ViewGram& gram, const BasisOptions& options, Rng rng, int threads,
                           Context& context) {
  const index_t n = gram.size(), most = options.max_rank > 0 ? options.max_rank : n;
  const double tol = options.tol > 0 ? options.tol : units(n);
  const bool symmetric = options.symmetric;
  if (options.rule == Rule::cholesky) {
    CholeskyBasis found = greedy_cholesky(gram, tol, most, threads, context);
    if (!symmetric) return cholesky_map(std::move(found), context);
    EmpiricalMap map = symmetric_map(gram, found.pivots, units(n), context);
    map.indefinite = map.indefinite || found.is_indefinite();
    return map;
  }
  if (options.rule == Rule::elimination)
    return span_map(gram, eliminated(gram, tol, most, context), symmetric, context);
  if (options.rule == Rule::random) {
    index_t start = options.known_bound > 0 ? std::min(n, options.known_bound + 10) : n;
    start = std::min(start, most);
    const double unit = options.tol > 0 ? options.tol / static_cast<double>(n) : kEpsilon;
    const RandomBasis found = random_descent(gram, unit, start, rng, context);
    EmpiricalMap map = span_map(gram, found.rows, symmetric, context);
    map.indefinite = map.indefinite || found.indefinite;
    return map;
  }
  Rows all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return eigen_map(gram, all, tol, most, context);
}

}  // namespace flexkern
