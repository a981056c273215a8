#include "refined.h"

#include <algorithm>
#include <cmath>

#include "block_cg.h"
#include "shared_factor.h"
#include "times.h"

namespace flexkern {
namespace {

// Each round of refinement asks single precision for this much.
constexpr double kReduction = 1e-3;
constexpr int kRounds = 12;
// An error on the rows that a fold leaves out, by the Gram matrix, becomes a larger one on the
// others.
constexpr double kLeftOut = 1e-6;
// Steps that a factor of several folds takes in all; with few columns, each takes longer than its
// operations.
constexpr double kSharedSteps = 400;
// Fewer steps of conjugate gradients are not worth a start.
constexpr double kFewSteps = 20;

// Solves for a block of right-hand sides in single precision; both are overwritten.
class InnerSolver {
 public:
  virtual ~InnerSolver() = default;
  // Reduces the residual by one factor now; another one is what it takes in all. Returns the steps
  // it took; 0 means that it has nothing more to give.
  virtual index_t solve(float* residual, float* correction, double reduction, double in_all) = 0;
};

class Refinement {
 public:
  Refinement(const FoldPlan& plan, ConstMatrixRef responses, double lambda)
      : plan_(plan), responses_(responses), n_(plan.n) {
    for (std::size_t f = 0; f < plan.folds.size(); ++f)
      for (index_t c = 0; c < responses.cols(); ++c) {
        systems_.push_back({static_cast<int>(f), static_cast<int>(c)});
        columns_.push_back(
            {plan.folds[f].mask.data(), lambda * plan.folds[f].rows, static_cast<int>(f)});
      }
    u_.assign(static_cast<std::size_t>(n_) * systems_.size(), 0.0);
    residual_.assign(u_.size(), 0.0);
  }

  const std::vector<CgColumn>& columns() const { return columns_; }
  index_t count() const { return static_cast<index_t>(systems_.size()); }

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
      if (bb[c] > 0)
        worst = std::isfinite(rr[c]) ? std::max(worst, std::sqrt(rr[c] / bb[c])) : HUGE_VAL;
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
  template <typename F>
  void for_all(F f) const {
    for (std::size_t c = 0; c < systems_.size(); ++c)
      for (index_t i = 0; i < n_; ++i)
        f(c, i, c * static_cast<std::size_t>(n_) + static_cast<std::size_t>(i));
  }

  const FoldPlan& plan_;
  std::vector<System> systems_;
  ConstMatrixRef responses_;
  index_t n_;
  std::vector<CgColumn> columns_;
  std::vector<double> u_, residual_;
};

struct Problem {
  const FoldPlan& plan;
  double lambda;
  const Points& x;
  const Kernel& kernel;
  GramMatrix& gram;
  const Device& device;
  int threads;
  Context& context;
};

// Conjugate gradients. Systems that a few plain steps do not solve get a preconditioner; if those
// that follow do not lead to the end within the bound, the solver leaves them to factors.
class CgSolver : public InnerSolver {
 public:
  CgSolver(const Problem& problem, const std::vector<CgColumn>& columns, index_t max_iter,
           bool factors_follow)
      : problem_(problem), columns_(columns), left_(max_iter), factors_follow_(factors_follow) {}

  index_t solve(float* residual, float* correction, double reduction, double in_all) override {
    index_t steps = 0;
    if (!preconditioner_ && problem_.plan.n >= kLowRankRows) {
      steps = run(residual, correction, reduction, kPlainSteps);
      if (steps < kPlainSteps || left_ == 0) return steps;
      precondition();
    }
    const double before = largest_norm(residual);
    const index_t trial = run(residual, correction, reduction / before, kTrialSteps);
    if (trial < kTrialSteps || left_ == 0) return steps + trial;
    const double after = largest_norm(residual), rate = std::log(before / after) / kTrialSteps;
    if (factors_follow_ && !(std::log(after / in_all) <= rate * static_cast<double>(left_))) {
      left_ = 0;
      return steps + trial;
    }
    return steps + trial + run(residual, correction, reduction / after, left_);
  }

 private:
  static constexpr index_t kLowRankRows = 500, kPlainSteps = 10, kTrialSteps = 16, kRank = 320;

  void precondition() {
    preconditioner_ =
        std::make_unique<LowRank>(problem_.plan, problem_.x, problem_.kernel, problem_.device,
                                  RankLimits{std::min(kRank, problem_.plan.n / 5),
                                             problem_.lambda * problem_.plan.folds[0].rows},
                                  problem_.threads, problem_.context);
    preconditioner_->set_lambda(problem_.lambda);
  }

  // Of the residuals, which start at 1.
  double largest_norm(const float* residual) const {
    const index_t stride = problem_.plan.stride;
    double largest = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const float* column = residual + static_cast<index_t>(c) * stride;
      double rr = 0;
      for (index_t i = 0; i < stride; ++i) rr += static_cast<double>(column[i]) * column[i];
      largest = std::max(largest, rr);
    }
    return std::sqrt(largest);
  }

  index_t run(float* residual, float* correction, double reduction, index_t bound) {
    const index_t steps =
        block_cg(problem_.gram, problem_.device.host(), columns_, preconditioner_.get(), residual,
                 correction, reduction, std::min(bound, left_), problem_.threads, problem_.context);
    left_ -= steps;
    return steps;
  }

  const Problem& problem_;
  const std::vector<CgColumn>& columns_;
  index_t left_;
  bool factors_follow_;
  std::unique_ptr<LowRank> preconditioner_;
};

// Cholesky factors for groups of folds. Where rounding makes a matrix indefinite, its factor gets a
// larger shift and the refinement more to do.
class DirectSolver : public InnerSolver {
 public:
  DirectSolver(const Problem& problem, index_t responses,
               const std::vector<std::vector<int>>& groups)
      : responses_(responses) {
    for (const auto& group : groups) {
      factors_.push_back(std::make_unique<SharedFactor>(problem.plan, group, problem.gram,
                                                        problem.device.host(), problem.threads,
                                                        problem.context));
      double lambda = problem.lambda;
      bool factored = false;
      for (int attempt = 0; attempt < 6 && !factored; ++attempt, lambda *= 10)
        factored = factors_.back()->factor(lambda);
      factors_.back()->release_workspace();
      usable_ = usable_ && factored;
    }
  }
  index_t solve(float* residual, float* correction, double, double) override {
    if (!usable_) return 0;
    for (const auto& factor : factors_) factor->solve(residual, responses_, kLeftOut, correction);
    return 1;
  }

 private:
  index_t responses_;
  std::vector<std::unique_ptr<SharedFactor>> factors_;
  bool usable_ = true;
};

}  // namespace

namespace {

// One round: correct, and keep the correction if it helps. False when the solver has nothing more
// to give.
bool improve(const Problem& problem, Refinement& refinement, InnerSolver& solver, double tol,
             Solution& out) {
  const index_t count = refinement.count();
  Buffer<float> residual(problem.plan.stride * count), correction(problem.plan.stride * count);
  const std::vector<double> before = refinement.solution();
  const std::vector<double> norms = refinement.residual_block(residual.data());
  std::fill_n(correction.data(), correction.size(), 0.0f);
  const double in_all = 0.3 * tol / out.residual, reduction = std::max(kReduction, in_all);
  const index_t steps = solver.solve(residual.data(), correction.data(), reduction, in_all);
  if (steps == 0) return false;
  refinement.add_correction(correction.data(), norms);
  Solution next = out;
  next.iterations += steps;
  refinement.coefficients(next.coef);
  problem.device.expand(
      problem.x, problem.x, problem.kernel, {next.coef.data(), problem.plan.n, count},
      {next.decision.data(), problem.plan.n, count}, problem.threads, problem.context);
  next.residual = refinement.update_residuals(next.decision);
  if (!(next.residual < out.residual)) {
    refinement.restore(before);
    refinement.update_residuals(out.decision);
    out.iterations = next.iterations;
    return false;
  }
  const bool stalled = next.residual > 0.5 * out.residual;
  out = std::move(next);
  return !stalled;
}

}  // namespace

Solution solve_refined(const FoldPlan& plan, ConstMatrixRef responses, const Points& x,
                       const Kernel& kernel, GramMatrix& gram, const Device& device, int threads,
                       const SolveOptions& options, Context& context) {
  const Problem problem{plan, options.lambda, x, kernel, gram, device, threads, context};
  Refinement refinement(plan, responses, options.lambda);
  Solution out;
  refinement.coefficients(out.coef);
  out.decision.assign(out.coef.size(), 0.0);
  out.residual = refinement.update_residuals(out.decision);
  const auto unsolved = [&] {
    return out.residual > options.tol && out.iterations < options.max_iter;
  };
  const auto refine = [&](InnerSolver& solver) {
    for (int round = 0; round < kRounds && unsolved(); ++round)
      if (!improve(problem, refinement, solver, options.tol, out)) break;
  };
  const double worth =
      factor_time(plan, responses.cols(), kSharedSteps) / product_time(plan, responses.cols());
  index_t steps = options.max_iter;
  if (options.direct) steps = std::min(steps, static_cast<index_t>(worth));
  CgSolver gradients(problem, refinement.columns(), steps, options.direct);
  if (!options.direct || worth > kFewSteps) refine(gradients);
  // One factor for all folds first; where that stalls, one for each.
  std::size_t tried = 0;
  for (const double shared_steps : {kSharedSteps, HUGE_VAL}) {
    const auto groups = factor_groups(plan, responses.cols(), shared_steps);
    if (!unsolved() || !options.direct || groups.size() == tried) break;
    tried = groups.size();
    DirectSolver factors(problem, responses.cols(), groups);
    refine(factors);
  }
  out.converged = out.residual <= options.tol;
  return out;
}

}  // namespace flexkern
