// What a group of machines is solved with: the views of its rows, and models on them in terms of
// kernel values.
#ifndef FLEXKERN_MODEL_MEKL_SOLVER_H
#define FLEXKERN_MODEL_MEKL_SOLVER_H

#include <memory>

#include "mekl.h"

namespace flexkern {

struct MeklModel {
  std::vector<Eigen::VectorXd> coef;  // of the basis rows of each view
  double intercept = 0;
  std::vector<double> objective;
  bool converged = true;
  Eigen::VectorXd decision;  // on all rows of the group
};

class MeklSolver {
 public:
  virtual ~MeklSolver() = default;
  // Without coefficients; basis rows count within the group.
  const std::vector<MeklView>& views() const { return views_; }
  virtual void set_threads(int threads) = 0;
  // One model for each pair of penalties; rows of weight 0 do not train. Drafts are as good as the
  // comparison of penalties needs.
  virtual std::vector<MeklModel> solve(const Eigen::VectorXd& sign, const Eigen::VectorXd& weights,
                                       const std::vector<MeklPair>& pairs, bool draft) const = 0;

 protected:
  std::vector<MeklView> views_;
};

// On these rows of the data; `item` keys what is random.
std::unique_ptr<MeklSolver> make_mekl_solver(const MeklData& data, const MeklOptions& options,
                                             const std::vector<index_t>& rows, std::uint64_t item,
                                             const Micro& micro, int threads, Context& context);

}  // namespace flexkern

#endif
