// The Gram matrix of one view of the data: kernel values between rows, computed where they are
// asked for, or a matrix that was given.
#ifndef FLEXKERN_SOLVER_VIEW_GRAM_H
#define FLEXKERN_SOLVER_VIEW_GRAM_H

#include <Eigen/Core>
#include <vector>

#include "core/base/context.h"
#include "core/device/cpu/micro.h"
#include "core/kernel/kernel.h"

namespace flexkern {

class ViewGram {
 public:
  ViewGram(Eigen::MatrixXd x, const Kernel& kernel, const Micro& micro);
  explicit ViewGram(Eigen::MatrixXd values) : is_given_(true), data_(std::move(values)) {}

  index_t size() const { return data_.rows(); }
  Eigen::VectorXd diagonal() const;
  // Rows first .. first + count - 1 of column j.
  void column(index_t j, index_t first, index_t count, double* out) const;
  // The columns of these rows.
  Eigen::MatrixXd columns(const std::vector<index_t>& rows, Context& context) const;
  Eigen::MatrixXd all(Context& context) const;
  ViewGram subset(const std::vector<index_t>& rows, Context& context) const;

 private:
  bool is_given_ = false;
  Eigen::MatrixXd data_;  // the points, or the matrix itself
  Kernel kernel_;
  const Micro* micro_ = nullptr;
};

// The mean distance of two rows of x, over all ordered pairs (equal ones included); of at most 4000
// rows, equally spaced.
double mean_distance(const Eigen::MatrixXd& x, const Micro& micro, Context& context);

}  // namespace flexkern

#endif
