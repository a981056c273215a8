// A matrix whose products, from both sides, go through the micro-kernels in double precision.
#ifndef FLEXKERN_SOLVER_PACKED_MATRIX_H
#define FLEXKERN_SOLVER_PACKED_MATRIX_H

#include <Eigen/Core>

#include "core/base/context.h"
#include "core/device/cpu/micro.h"

namespace flexkern {

class PackedMatrix {
 public:
  PackedMatrix(const Eigen::MatrixXd& values, const Micro& micro, int threads, Context& context);
  index_t rows() const { return rows_; }
  index_t cols() const { return cols_; }
  const Micro& micro() const { return micro_; }
  int threads() const { return threads_; }
  void set_threads(int threads) { threads_ = threads; }
  // A right and A' right.
  Eigen::MatrixXd times(const Eigen::MatrixXd& right) const;
  Eigen::MatrixXd transposed_times(const Eigen::MatrixXd& right) const;
  // A' diag(weights) A.
  Eigen::MatrixXd gram(const Eigen::VectorXd& weights) const;

 private:
  Eigen::MatrixXd product(const Buffer<double>& panels, index_t rows, index_t depth,
                          const Eigen::MatrixXd& right) const;

  index_t rows_, cols_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  Buffer<double> by_rows_, by_columns_;  // panels of A and of A'
};

}  // namespace flexkern

#endif
