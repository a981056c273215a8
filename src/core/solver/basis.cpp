#include "basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.h"
#include "dense_steps.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr index_t kBlock = 48;    // columns that are eliminated together
constexpr index_t kChunk = 2048;  // rows that one work item covers

// Eliminates columns first .. last - 1 within the rows from `row` on; returns the pivot columns.
std::vector<index_t> eliminate_columns(MatrixXd& a, index_t first, index_t last, index_t row,
                                       double tol, index_t most) {
  std::vector<index_t> found;
  for (index_t col = first; col < last && row < a.rows(); ++col) {
    if (static_cast<index_t>(found.size()) == most) break;
    index_t at = 0;
    const double size = a.col(col).tail(a.rows() - row).cwiseAbs().maxCoeff(&at);
    if (!(size > tol)) continue;
    if (at > 0) a.row(row).swap(a.row(row + at));
    const index_t below = a.rows() - row - 1;
    a.col(col).tail(below) /= a(row, col);
    for (index_t j = col + 1; j < last; ++j)
      a.col(j).tail(below) -= a(row, j) * a.col(col).tail(below);
    found.push_back(col);
    ++row;
  }
  return found;
}

// What the pivots of a block do to the columns right of it.
void update_right(MatrixXd& a, const std::vector<index_t>& pivots, index_t row, index_t last,
                  Context& context) {
  const index_t count = static_cast<index_t>(pivots.size()), below = a.rows() - row - count;
  MatrixXd l(a.rows() - row, count);
  for (index_t k = 0; k < count; ++k)
    l.col(k) = a.col(pivots[static_cast<std::size_t>(k)]).tail(a.rows() - row);
  const double operations = 2.0 * static_cast<double>(l.size());
  in_steps(a.cols() - last, operations, context, [&](index_t first, index_t width) {
    auto top = a.block(row, last + first, count, width);
    l.topRows(count).triangularView<Eigen::UnitLower>().solveInPlace(top);
    a.block(row + count, last + first, below, width).noalias() -= l.bottomRows(below) * top;
  });
}

}  // namespace

std::vector<index_t> eliminate(MatrixXd& a, double tol, index_t most, Context& context) {
  std::vector<index_t> basis;
  for (index_t first = 0; first < a.cols(); first += kBlock) {
    context.check();
    const index_t last = std::min(a.cols(), first + kBlock);
    const index_t row = static_cast<index_t>(basis.size());
    if (row >= std::min(a.rows(), most)) break;
    const auto pivots = eliminate_columns(a, first, last, row, tol, most - row);
    if (!pivots.empty()) update_right(a, pivots, row, last, context);
    basis.insert(basis.end(), pivots.begin(), pivots.end());
  }
  return basis;
}

CholeskyBasis greedy_cholesky(const ViewGram& gram, double tol, index_t most, int threads,
                              Context& context) {
  const index_t n = gram.size();
  most = std::min(most, n);
  CholeskyBasis out;
  VectorXd left = gram.diagonal();
  out.largest = n > 0 ? left.maxCoeff() : 0;
  out.factor.resize(n, std::min<index_t>(most, 64));
  index_t rank = 0, pivot = 0;
  while (rank < most && left.maxCoeff(&pivot) > tol * out.largest) {
    context.check();
    if (rank == out.factor.cols())
      out.factor.conservativeResize(n, std::min(most, rank + rank / 2 + 1));
    const double root = std::sqrt(left[pivot]);
    const VectorXd row = out.factor.row(pivot).head(rank);
    parallel_for((n + kChunk - 1) / kChunk, threads, context, [&](index_t item, int) {
      const index_t first = item * kChunk, count = std::min(kChunk, n - first);
      auto column = out.factor.col(rank).segment(first, count);
      gram.column(pivot, first, count, column.data());
      column.noalias() -= out.factor.block(first, 0, count, rank) * row;
      column /= root;
      left.segment(first, count) -= column.cwiseAbs2();
    });
    left[pivot] = 0;
    out.factor(pivot, rank) = root;
    out.pivots.push_back(pivot);
    ++rank;
  }
  out.factor.conservativeResize(n, rank);
  out.lowest = n > 0 ? std::min(left.minCoeff(), 0.0) : 0;
  return out;
}

namespace {

bool has_full_rank(const MatrixXd& k, double tol, bool& indefinite, Context& context) {
  const index_t r = k.rows();
  const double largest = k.diagonal().cwiseAbs().maxCoeff();
  if (k.diagonal().minCoeff() < -1e-9 * largest) indefinite = true;
  for (index_t j = 0; j < r; ++j)
    for (index_t i = 0; i < j; ++i) {
      const double apart = k(i, i) + k(j, j) - 2 * k(i, j);
      if (apart > tol * largest) continue;
      if (apart < -1e-9 * largest) indefinite = true;
      return false;  // equal images
    }
  const VectorXd values = symmetric_eigen(k, false, context).values;
  if (values[0] < -1e-9 * std::max(values[r - 1], -values[0])) indefinite = true;
  return values[0] > static_cast<double>(r) * tol * values[r - 1];
}

}  // namespace

RandomBasis random_descent(const ViewGram& gram, double tol, index_t start, Rng rng,
                           Context& context) {
  RandomBasis out;
  std::vector<index_t> all(static_cast<std::size_t>(gram.size()));
  std::iota(all.begin(), all.end(), 0);
  for (index_t r = std::min(start, gram.size()); r > 0; --r) {
    context.check();
    rng.shuffle(all);
    out.rows.assign(all.begin(), all.begin() + r);
    std::sort(out.rows.begin(), out.rows.end());
    const MatrixXd k = gram.subset(out.rows, context).all(context);
    if (has_full_rank(k, tol, out.indefinite, context)) return out;
  }
  out.rows.clear();
  return out;
}

}  // namespace flexkern
