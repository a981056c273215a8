#include "naive.h"

#include <cmath>
#include <cstdlib>
#include <string>

namespace flexkern {

bool slow_run() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded && std::string(preloaded).find("vgpreload") != std::string::npos;
#endif
}

double naive_kernel(const Kernel& kernel, ConstMatrixRef u, index_t i, ConstMatrixRef v,
                    index_t j) {
  double product = 0, distance = 0;
  for (index_t k = 0; k < u.cols(); ++k) {
    product += u(i, k) * v(j, k);
    distance += (u(i, k) - v(j, k)) * (u(i, k) - v(j, k));
  }
  if (kernel.type == Kernel::Type::radial)
    return std::exp(-kernel.gamma * distance) + kernel.offset;
  if (kernel.type == Kernel::Type::linear) return product + kernel.offset;
  return std::pow(kernel.gamma * product + kernel.coef0, kernel.degree) +
         kernel.offset * std::pow(kernel.gamma, kernel.degree);
}

MatrixXd naive_gram(const Kernel& kernel, ConstMatrixRef u, ConstMatrixRef v) {
  MatrixXd out(u.rows(), v.rows());
  for (index_t j = 0; j < v.rows(); ++j)
    for (index_t i = 0; i < u.rows(); ++i) out(i, j) = naive_kernel(kernel, u, i, v, j);
  return out;
}

MatrixXd to_eigen(ConstMatrixRef m) {
  MatrixXd out(m.rows(), m.cols());
  for (index_t j = 0; j < m.cols(); ++j)
    for (index_t i = 0; i < m.rows(); ++i) out(i, j) = m(i, j);
  return out;
}

MatrixXd to_eigen(const std::vector<double>& v, index_t rows) {
  return Eigen::Map<const MatrixXd>(v.data(), rows, static_cast<index_t>(v.size()) / rows);
}

double max_abs(const MatrixXd& m) { return m.size() ? m.cwiseAbs().maxCoeff() : 0.0; }

MatrixXd naive_coef(const MatrixXd& gram, const MatrixXd& y, const VectorXd& weights,
                    double lambda) {
  std::vector<index_t> rows;
  for (index_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(i);
  const double total = weights.sum();
  const index_t m = static_cast<index_t>(rows.size());
  MatrixXd a(m, m), b(m, y.cols()), out = MatrixXd::Zero(y.rows(), y.cols());
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < m; ++j) a(i, j) = gram(rows[at(i)], rows[at(j)]);
    a(i, i) += lambda * total / weights[rows[at(i)]];
    b.row(i) = y.row(rows[at(i)]);
  }
  const MatrixXd solution = a.partialPivLu().solve(b);
  for (index_t i = 0; i < m; ++i) out.row(rows[at(i)]) = solution.row(i);
  return out;
}

FoldPlan Validation::plan(index_t stride) const {
  FoldPlan plan(static_cast<index_t>(fold.size()), stride, weights);
  for (int f = 0; f < folds; ++f)
    plan.add([&](index_t i) { return fold[at(i)] != f; },
             [&](index_t i) { return fold[at(i)] == f; });
  return plan;
}

VectorXd Validation::training_weights(int f) const {
  VectorXd w(static_cast<index_t>(fold.size()));
  for (std::size_t i = 0; i < fold.size(); ++i)
    w[static_cast<index_t>(i)] = fold[i] == f ? 0 : weights[i];
  return w;
}

MatrixXd naive_coefs(const MatrixXd& gram, const MatrixXd& y, const Validation& v, double lambda) {
  MatrixXd out(y.rows(), v.folds * y.cols());
  for (int f = 0; f < v.folds; ++f)
    out.middleCols(f * y.cols(), y.cols()) = naive_coef(gram, y, v.training_weights(f), lambda);
  return out;
}

double naive_risk(const MatrixXd& gram, const MatrixXd& y, const Validation& v, double lambda,
                  const Clip& clip) {
  const MatrixXd decision = gram * naive_coefs(gram, y, v, lambda);
  double loss = 0, weight = 0;
  for (index_t i = 0; i < y.rows(); ++i) {
    const int f = v.fold[at(i)];
    if (f < 0) continue;
    weight += v.weights[at(i)];
    for (index_t c = 0; c < y.cols(); ++c) {
      const double error = y(i, c) - clip(decision(i, f * y.cols() + c));
      loss += v.weights[at(i)] * error * error;
    }
  }
  return loss / (weight * static_cast<double>(y.cols()));
}

Data waves(const Data& x, index_t responses, double noise, std::uint64_t seed) {
  Data y(x.rows, responses);
  Rng rng(seed, stream::kData);
  for (index_t c = 0; c < responses; ++c)
    for (index_t i = 0; i < x.rows; ++i) {
      const double other = x.cols > 1 ? x(i, 1) : 0.3;
      y(i, c) = 0.8 * std::sin((3.0 + static_cast<double>(c)) * x(i, 0) + other) +
                noise * (2 * rng.uniform() - 1);
    }
  return y;
}

std::vector<double> exact_weights(index_t n, std::uint64_t seed) {
  const double values[] = {0, 0.25, 1, 1, 1, 2.25, 4};
  std::vector<double> w(at(n));
  Rng rng(seed, stream::kData);
  for (double& v : w) v = values[rng.below(7)];
  return w;
}

}  // namespace flexkern
