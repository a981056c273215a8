#include "dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<index_t>;

MatrixXd gram_matrix(const Points& x, const Kernel& kernel, const Device& device,
                     Context& context) {
  const index_t n = x.rows();
  const MatrixXd identity = MatrixXd::Identity(n, n);
  MatrixXd gram(n, n);
  device.expand(x, x, kernel, {identity.data(), n, n}, {gram.data(), n, n}, 1, context);
  return gram;
}

MatrixXd gather(const MatrixXd& m, const Rows& rows, const Rows& cols) {
  MatrixXd out(rows.size(), cols.size());
  for (std::size_t j = 0; j < cols.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      out(static_cast<index_t>(i), static_cast<index_t>(j)) = m(rows[i], cols[j]);
  return out;
}

MatrixXd gather_rows(const MatrixXd& m, const Rows& rows) {
  MatrixXd out(rows.size(), m.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(static_cast<index_t>(i)) = m.row(rows[i]);
  return out;
}

Rows training_rows(const FoldPlan& plan, const Fold& fold) {
  Rows rows;
  for (index_t i = 0; i < plan.n; ++i)
    if (fold.mask[i] > 0) rows.push_back(i);
  return rows;
}

// The training part of one fold: rows, their masks, and the symmetric matrix S K S on them.
struct FoldMatrix {
  Rows rows;
  VectorXd mask;
  MatrixXd matrix;

  FoldMatrix(const FoldPlan& plan, const Fold& fold, const MatrixXd& gram)
      : rows(training_rows(plan, fold)), mask(static_cast<index_t>(rows.size())) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      mask[static_cast<index_t>(i)] = fold.mask[rows[i]];
    matrix = mask.asDiagonal() * gather(gram, rows, rows) * mask.asDiagonal();
  }
  // Coefficients S (S K S + shift I)^-1 S y for all responses. A kernel matrix that is indefinite
  // by rounding gets a growing ridge on its diagonal.
  MatrixXd solve(const MatrixXd& y, double shift) const {
    MatrixXd b = mask.asDiagonal() * gather_rows(y, rows);
    Eigen::LLT<MatrixXd> llt;
    double ridge = shift;
    for (int attempt = 0; attempt < 20; ++attempt) {
      llt.compute(matrix + ridge * MatrixXd::Identity(matrix.rows(), matrix.cols()));
      if (llt.info() == Eigen::Success) break;
      ridge = std::max(10 * ridge, 1e-14 * matrix.trace());
    }
    require(llt.info() == Eigen::Success, "the kernel matrix is not positive definite");
    llt.solveInPlace(b);
    return mask.asDiagonal() * b;
  }
};

Eigen::Map<const MatrixXd> as_eigen(ConstMatrixRef m) {
  require(m.stride() == m.rows(), "a matrix must be stored without gaps");
  return {m.data(), m.rows(), m.cols()};
}

// |S (y - K a) - shift u| / |S y| on the training rows, where a = S u.
double relative_residual(const Fold& fold, double lambda, const VectorXd& y, const VectorXd& coef,
                         const VectorXd& decision) {
  double rr = 0, bb = 0;
  for (index_t i = 0; i < y.size(); ++i) {
    const double s = fold.mask[i];
    if (s == 0) continue;
    const double r = s * (y[i] - decision[i]) - lambda * fold.rows * coef[i] / s;
    rr += r * r;
    bb += s * s * y[i] * y[i];
  }
  return bb > 0 ? std::sqrt(rr / bb) : 0;
}

double held_out_loss(const FoldPlan& plan, const Fold& fold, const MatrixXd& predicted,
                     const MatrixXd& y, const Clip& clip) {
  double loss = 0;
  for (std::size_t h = 0; h < fold.held_out.size(); ++h)
    for (index_t c = 0; c < y.cols(); ++c) {
      const index_t row = fold.held_out[h];
      const double error = y(row, c) - clip(predicted(static_cast<index_t>(h), c));
      loss += plan.weights[static_cast<std::size_t>(row)] * error * error;
    }
  return loss;
}

}  // namespace

void search_dense(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                  const Kernel& kernel, const Device& device, const SearchOptions& options,
                  Context& context, Surface& surface) {
  const MatrixXd y = as_eigen(responses);
  double weight = 0;
  for (const Fold& fold : plan.folds)
    for (index_t i : fold.held_out) weight += plan.weights[static_cast<std::size_t>(i)];
  for (std::size_t g = 0; g < surface.gammas.size(); ++g) {
    const MatrixXd gram = gram_matrix(x, kernel.with_gamma(surface.gammas[g]), device, context);
    std::vector<double> loss(surface.lambdas.size(), 0.0);
    for (const Fold& fold : plan.folds) {
      const FoldMatrix train(plan, fold, gram);
      const MatrixXd cross = gather(gram, fold.held_out, train.rows);
      for (std::size_t l = 0; l < loss.size(); ++l) {
        context.check();
        const MatrixXd coef = train.solve(y, surface.lambdas[l] * fold.rows);
        loss[l] += held_out_loss(plan, fold, cross * coef, y, options.clip);
      }
    }
    for (std::size_t l = 0; l < loss.size(); ++l) {
      surface.risk[surface.at(g, l)] = loss[l] / (weight * static_cast<double>(y.cols()));
      surface.settled[surface.at(g, l)] = 1;
    }
  }
}

Solution solve_dense(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                     const Kernel& kernel, const Device& device, double lambda, double tol,
                     Context& context) {
  const MatrixXd y = as_eigen(responses);
  const MatrixXd gram = gram_matrix(x, kernel, device, context);
  MatrixXd coef = MatrixXd::Zero(plan.n, static_cast<index_t>(plan.folds.size()) * y.cols());
  for (std::size_t f = 0; f < plan.folds.size(); ++f) {
    context.check();
    const FoldMatrix train(plan, plan.folds[f], gram);
    const MatrixXd part = train.solve(y, lambda * plan.folds[f].rows);
    for (std::size_t i = 0; i < train.rows.size(); ++i)
      coef.block(train.rows[i], static_cast<index_t>(f) * y.cols(), 1, y.cols()) =
          part.row(static_cast<index_t>(i));
  }
  const MatrixXd decision = gram * coef;
  Solution out;
  out.coef.assign(coef.data(), coef.data() + coef.size());
  out.decision.assign(decision.data(), decision.data() + decision.size());
  for (std::size_t f = 0; f < plan.folds.size(); ++f)
    for (index_t c = 0; c < y.cols(); ++c) {
      const index_t at = static_cast<index_t>(f) * y.cols() + c;
      out.residual = std::max(out.residual, relative_residual(plan.folds[f], lambda, y.col(c),
                                                              coef.col(at), decision.col(at)));
    }
  out.converged = out.residual <= tol;
  return out;
}

}  // namespace flexkern
