// The validation risk of a least-squares machine as a function of the kernel's weights and the
// penalty, and its gradient by implicit differentiation: the coefficients follow the kernel.
#ifndef FLEXKERN_SOLVER_IMPLICIT_RISK_H
#define FLEXKERN_SOLVER_IMPLICIT_RISK_H

#include <memory>
#include <vector>

#include "core/base/context.h"
#include "hg_tiles.h"

namespace flexkern {

class Cholesky;

// Rows 0 .. train - 1 train, the others validate.
struct SplitData {
  ConstMatrixRef x, y;
  const std::vector<double>& weights;
  index_t train;
};

class ImplicitRisk {
 public:
  ImplicitRisk(const SplitData& data, const Micro& micro, int threads, Context& context);
  ~ImplicitRisk();
  // The risk at gamma = 1 and this shift = lambda n; infinite where rounding makes the matrix
  // indefinite. The coefficients are kept.
  double value(const Hierarchy& hierarchy, double shift);
  // Derivatives at the last value() by the weights, and then by log(shift).
  std::vector<double> gradient();
  const std::vector<double>& coef() const { return coef_; }  // training rows x responses

 private:
  bool solve(const std::vector<double>& right, std::vector<double>& out);
  void multiply(index_t first, index_t rows, const double* in, double* out) const;
  index_t validation() const { return data_.x.rows() - data_.train; }
  double weight(index_t i) const { return data_.weights[static_cast<std::size_t>(i)]; }

  SplitData data_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  HgTiles<float> tiles_;
  double shift_ = 0, total_weight_ = 0;
  std::vector<double> root_;  // of the training rows' weights
  Buffer<float> gram_;        // all rows x training rows
  std::unique_ptr<Cholesky> cholesky_;
  std::vector<double> u_, coef_, slope_;
};

}  // namespace flexkern

#endif
