// The most obvious computation of everything the core computes, in double precision.
#ifndef FLEXKERN_TESTS_NAIVE_H
#define FLEXKERN_TESTS_NAIVE_H

#include <Eigen/Dense>
#include <vector>

#include "core/device/cpu/cpu_device.h"
#include "core/solver/fold_plan.h"
#include "random_data.h"

namespace flexkern {

using Eigen::MatrixXd;
using Eigen::VectorXd;

inline std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

// Whether a sanitizer or valgrind slows this run down.
bool slow_run();

double naive_kernel(const Kernel& kernel, ConstMatrixRef u, index_t i, ConstMatrixRef v, index_t j);

MatrixXd naive_gram(const Kernel& kernel, ConstMatrixRef u, ConstMatrixRef v);

MatrixXd to_eigen(ConstMatrixRef m);

MatrixXd to_eigen(const std::vector<double>& v, index_t rows);

double max_abs(const MatrixXd& m);

inline Kernel radial(double gamma) { return {Kernel::Type::radial, gamma, 3, 0}; }
inline Kernel linear() { return {Kernel::Type::linear, 1, 1, 0}; }
inline Kernel polynomial(double gamma, int degree, double coef0) {
  return {Kernel::Type::polynomial, gamma, degree, coef0};
}
inline Kernel with_constant(Kernel kernel, double offset) {
  kernel.offset = offset;
  return kernel;
}

// Coefficients of the weighted model on the rows of positive weight: (K + lambda n W^-1) a = y,
// where n is the sum of the weights.
MatrixXd naive_coef(const MatrixXd& gram, const MatrixXd& y, const VectorXd& weights,
                    double lambda);

// A cross-validation: the fold of each row (-1: trains everywhere) and the weights.
struct Validation {
  std::vector<int> fold;
  std::vector<double> weights;
  int folds;

  FoldPlan plan(index_t stride) const;
  VectorXd training_weights(int f) const;
};

// Rows dealt to the folds in turn; all weights 1.
inline Validation deal(index_t n, int folds) {
  Validation v{std::vector<int>(at(n)), std::vector<double>(at(n), 1.0), folds};
  for (index_t i = 0; i < n; ++i) v.fold[at(i)] = static_cast<int>(i % folds);
  return v;
}

// One model on all rows.
inline Validation whole(index_t n) {
  return {std::vector<int>(at(n), -1), std::vector<double>(at(n), 1.0), 1};
}

// Coefficients of all folds, systems ordered by fold and then by response.
MatrixXd naive_coefs(const MatrixXd& gram, const MatrixXd& y, const Validation& v, double lambda);

// The weighted mean squared error of clipped held-out predictions.
double naive_risk(const MatrixXd& gram, const MatrixXd& y, const Validation& v, double lambda,
                  const Clip& clip);

// Waves over the first two columns, one frequency per response, and uniform noise.
Data waves(const Data& x, index_t responses, double noise, std::uint64_t seed);

// Weights whose square roots are exact in single precision, some of them 0.
std::vector<double> exact_weights(index_t n, std::uint64_t seed);

inline std::unique_ptr<Device> device_for(const Micro& micro) {
  return std::make_unique<CpuDevice>(micro);
}

}  // namespace flexkern

#endif
