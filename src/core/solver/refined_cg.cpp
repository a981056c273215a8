#include "refined_cg.h"

#include <algorithm>
#include <cmath>

#include "block_cg.h"

namespace flexkern {
namespace {

// Each round of refinement asks single precision for this much.
constexpr double kReduction = 1e-3;
constexpr int kRounds = 12;

class Refinement {
 public:
  Refinement(const FoldPlan& plan, const std::vector<System>& systems, ConstMatrixRef responses,
             double lambda)
      : plan_(plan), systems_(systems), responses_(responses), n_(plan.n) {
    const std::size_t size = static_cast<std::size_t>(n_) * systems.size();
    u_.assign(size, 0.0);
    residual_.assign(size, 0.0);
    for (const System& s : systems) {
      const Fold& fold = fold_of(s);
      columns_.push_back({fold.mask.data(), lambda * fold.rows});
    }
  }

  const std::vector<CgColumn>& columns() const { return columns_; }

  void coefficients(std::vector<double>& coef) const {
    coef.resize(u_.size());
    for_all(
        [&](std::size_t c, index_t i, std::size_t at) { coef[at] = columns_[c].mask[i] * u_[at]; });
  }

  // r = S (y - K a) - shift u; returns the largest |r| / |S y|.
  double update_residuals(const std::vector<double>& decision) {
    std::vector<double> rr(systems_.size(), 0.0), bb(systems_.size(), 0.0);
    for_all([&](std::size_t c, index_t i, std::size_t at) {
      const double s = columns_[c].mask[i], y = responses_(i, systems_[c].response);
      residual_[at] = s * (y - decision[at]) - columns_[c].shift * u_[at];
      rr[c] += residual_[at] * residual_[at];
      bb[c] += s * s * y * y;
    });
    double worst = 0;
    for (std::size_t c = 0; c < rr.size(); ++c)
      if (bb[c] > 0) worst = std::max(worst, std::sqrt(rr[c] / bb[c]));
    return worst;
  }

  // Residuals scaled to unit norm, so that single precision has room; the norms come back.
  std::vector<double> residual_block(float* block) const {
    std::vector<double> norms(systems_.size(), 0.0);
    for_all(
        [&](std::size_t c, index_t, std::size_t at) { norms[c] += residual_[at] * residual_[at]; });
    for (double& norm : norms) norm = std::sqrt(norm);
    std::fill_n(block, plan_.stride * static_cast<index_t>(systems_.size()), 0.0f);
    for_all([&](std::size_t c, index_t i, std::size_t at) {
      if (norms[c] > 0)
        block[static_cast<index_t>(c) * plan_.stride + i] =
            static_cast<float>(residual_[at] / norms[c]);
    });
    return norms;
  }

  void add_correction(const float* block, const std::vector<double>& norms) {
    for_all([&](std::size_t c, index_t i, std::size_t at) {
      u_[at] += norms[c] * block[static_cast<index_t>(c) * plan_.stride + i];
    });
  }

  std::vector<double> solution() const { return u_; }
  void restore(std::vector<double> u) { u_ = std::move(u); }

 private:
  const Fold& fold_of(const System& s) const {
    return plan_.folds[static_cast<std::size_t>(s.fold)];
  }
  template <typename F>
  void for_all(F f) const {
    for (std::size_t c = 0; c < systems_.size(); ++c)
      for (index_t i = 0; i < n_; ++i)
        f(c, i, c * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i));
  }

  const FoldPlan& plan_;
  const std::vector<System>& systems_;
  ConstMatrixRef responses_;
  index_t n_;
  std::vector<CgColumn> columns_;
  std::vector<double> u_, residual_;
};

}  // namespace

Solution solve_refined(const FoldPlan& plan, const std::vector<System>& systems,
                       ConstMatrixRef responses, ConstMatrixRef x, const Kernel& kernel,
                       GramMatrix& gram, const Device& device, int threads,
                       const SolveOptions& options, Context& context) {
  const index_t count = static_cast<index_t>(systems.size());
  Refinement refinement(plan, systems, responses, options.lambda);
  Buffer<float> residual(plan.stride * count), correction(plan.stride * count);
  Solution out;
  refinement.coefficients(out.coef);
  out.decision.assign(out.coef.size(), 0.0);
  out.residual = refinement.update_residuals(out.decision);
  for (int round = 0; round < kRounds && out.residual > options.tol; ++round) {
    if (out.iterations >= options.max_iter) break;
    const std::vector<double> before = refinement.solution();
    const std::vector<double> norms = refinement.residual_block(residual.data());
    std::fill_n(correction.data(), correction.size(), 0.0f);
    const double reduction = std::max(kReduction, 0.3 * options.tol / out.residual);
    out.iterations +=
        block_cg(gram, device.host(), refinement.columns(), residual.data(), correction.data(),
                 reduction, options.max_iter - out.iterations, threads, context);
    refinement.add_correction(correction.data(), norms);
    Solution next = out;
    refinement.coefficients(next.coef);
    device.expand(x, x, kernel, {next.coef.data(), plan.n, count},
                  {next.decision.data(), plan.n, count}, threads, context);
    next.residual = refinement.update_residuals(next.decision);
    if (!(next.residual < out.residual)) {  // single precision cannot improve it
      refinement.restore(before);
      break;
    }
    const bool stalled = next.residual > 0.5 * out.residual;
    out = std::move(next);
    if (stalled) break;
  }
  out.converged = out.residual <= options.tol;
  return out;
}

}  // namespace flexkern
