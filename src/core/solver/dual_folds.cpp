#include "dual_folds.h"

#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "held_out.h"

namespace flexkern {
namespace {

// Rounds of the final solution: residuals in double precision, then steps.
constexpr int kRounds = 20;
// The first penalty, and the factor from one to the next on the way to a smaller one.
constexpr double kLargest = 0.1, kStride = 8;
constexpr double kOnTheWay = 1e-2;
// Steps a row in the search.
constexpr index_t kRaceSteps = 20;
// Residuals are computed for so many columns of so many solvers at a time, which stay in the cache,
// rows by such blocks.
constexpr index_t kColumns = 2048, kSolvers = 16, kRows = 16;

}  // namespace

DualFolds::DualFolds(const DualTask& task, bool many_gammas)
    : task_(task),
      gram_(task.device.gram_rows(task.x, task.kernel, many_gammas, task.threads, task.context)) {
  for (std::size_t f = 0; f < task.plan.folds.size(); ++f)
    for (index_t c = 0; c < task.responses.cols(); ++c)
      solvers_.push_back(
          std::make_unique<DualSolver>(*gram_, task.device.host(), problem(f, c), task.context));
}

DualProblem DualFolds::problem(std::size_t f, index_t c) const {
  const Fold& fold = task_.plan.folds[f];
  DualProblem p;
  p.loss = task_.losses[static_cast<std::size_t>(c)];
  p.y.assign(static_cast<std::size_t>(task_.plan.n), 0.0);
  p.weight.assign(p.y.size(), 0.0);
  for (index_t i = 0; i < task_.plan.n; ++i) {
    if (!(fold.mask[i] > 0)) continue;
    p.weight[static_cast<std::size_t>(i)] = task_.weight(i, c);
    if (task_.weight(i, c) > 0) p.y[static_cast<std::size_t>(i)] = task_.responses(i, c);
    if (i < task_.plan.own) p.rows += task_.weight(i, c);
  }
  // Of a pair of classes a fold may have rows in its margin only.
  if (!(p.rows > 0)) p.rows = 1;
  return p;
}

template <typename F>
void DualFolds::for_solvers(F f) {
  parallel_for(static_cast<index_t>(solvers_.size()), task_.threads, task_.context,
               [&](index_t s, int) { f(*solvers_[static_cast<std::size_t>(s)], s); });
}

void DualFolds::keep() {
  if (!(lambda_ > 0)) return;
  State state{gamma_, lambda_, {}};
  for (const auto& solver : solvers_) state.values.push_back(solver->values());
  for (State& s : states_)
    if (s.gamma == gamma_) {
      s = std::move(state);
      return;
    }
  states_.push_back(std::move(state));
}

const DualFolds::State* DualFolds::nearest(double gamma) const {
  const auto far = [gamma](double g) { return std::fabs(std::log(g / gamma)); };
  const State* best = nullptr;
  for (const State& s : states_)
    if (!best || far(s.gamma) < far(best->gamma)) best = &s;
  return best;
}

void DualFolds::set_gamma(double gamma) {
  if (gamma == gamma_) return;
  keep();
  gram_->set_gamma(gamma);
  gamma_ = gamma;
  moved_ = true;
  const State* from = nearest(gamma);
  for (std::size_t s = 0; s < solvers_.size() && from; ++s)
    solvers_[s]->adopt(from->values[s], from->lambda);
  lambda_ = from ? from->lambda : 0;
}

// Several solvers in one pass over the Gram matrix, which is bound by reading it.
void DualFolds::reset() {
  const index_t n = task_.plan.n, stride = gram_->stride();
  const index_t width = std::min(kColumns, round_up((stride - 1) / task_.threads + 1, kPanel));
  const index_t blocks = (stride - 1) / width + 1, count = static_cast<index_t>(solvers_.size());
  for_solvers([](DualSolver& solver, index_t) { solver.clear_residuals(); });
  parallel_for((count - 1) / kSolvers * blocks + blocks, task_.threads, task_.context,
               [&](index_t item, int) {
                 const index_t begin = item % blocks * width, end = std::min(begin + width, stride);
                 const index_t from = item / blocks * kSolvers;
                 for (index_t first = 0; first < n; first += kRows)
                   for (index_t s = from; s < std::min(from + kSolvers, count); ++s)
                     solvers_[static_cast<std::size_t>(s)]->add_rows(
                         first, std::min(first + kRows, n), begin, end);
               });
}

void DualFolds::step_to(double lambda) {
  for_solvers([lambda](DualSolver& solver, index_t) { solver.move_to(lambda); });
  reset();
}

// The way to a small penalty leads through larger ones.
void DualFolds::move_to(double lambda) {
  if (lambda == lambda_ && !moved_) return;
  const bool fresh = !(lambda_ > 0);
  double way = std::max(lambda, fresh ? kLargest : lambda_);
  if (fresh) {
    for_solvers([way](DualSolver& solver, index_t) { solver.start(way); });
    reset();
    for_solvers([](DualSolver& solver, index_t) { solver.shrink(); });
  } else {
    step_to(way);
  }
  while (way > lambda) {
    for_solvers(
        [&](DualSolver& solver, index_t) { solver.solve(kOnTheWay, kRaceSteps * task_.plan.n); });
    way = std::max(way / kStride, lambda);
    step_to(way);
  }
  lambda_ = lambda;
  moved_ = false;
}

double DualFolds::held_out_risk() {
  const std::size_t responses = static_cast<std::size_t>(task_.responses.cols());
  HeldOutRisk risk(task_.losses, task_.options.clip, task_.labels == Labels::largest);
  std::vector<double> y(responses), f(responses), w(responses), limit(responses), known;
  for (const auto& solver : solvers_) known.push_back(solver->resolution());
  for (std::size_t fold = 0; fold < task_.plan.folds.size(); ++fold)
    for (const index_t i : task_.plan.folds[fold].held_out) {
      for (std::size_t c = 0; c < responses; ++c) {
        y[c] = task_.responses(i, static_cast<index_t>(c));
        f[c] = solvers_[fold * responses + c]->decision(i);
        limit[c] = known[fold * responses + c] * gram_->scale(i);
        w[c] = task_.weight(i, static_cast<index_t>(c));
      }
      settle_ties(task_.labels, limit, f);
      risk.add(y, f, w);
    }
  each_.clear();
  for (std::size_t c = 0; c < responses; ++c) each_.push_back(risk.value(c));
  return task_.lead < 0 ? risk.value() : each_[static_cast<std::size_t>(task_.lead)];
}

// In a race a pair that takes long has its risk nearly from the beginning.
index_t DualFolds::max_steps() const {
  const index_t each = task_.options.max_iter;
  return (task_.options.race ? std::min(each, kRaceSteps) : each) * task_.plan.n;
}

double DualFolds::risk(double gamma, double lambda, double tol) {
  set_gamma(gamma);
  move_to(lambda);
  for_solvers([&](DualSolver& solver, index_t) { solver.solve(tol, max_steps()); });
  const double risk = held_out_risk();
  return std::isnan(risk) ? std::numeric_limits<double>::infinity() : risk;
}

Solution DualFolds::solve(double gamma, double lambda, double tol, index_t max_steps) {
  set_gamma(gamma);
  move_to(lambda);
  const std::size_t n = static_cast<std::size_t>(task_.plan.n);
  const index_t count = static_cast<index_t>(solvers_.size());
  Solution out;
  out.coef.resize(n * solvers_.size());
  out.decision.resize(out.coef.size());
  for (int round = 0; round < kRounds && !out.converged; ++round) {
    for_solvers([&](DualSolver& solver, index_t s) {
      solver.solve(tol / 2, max_steps);
      for (index_t i = 0; i < task_.plan.n; ++i)
        out.coef[static_cast<std::size_t>(s * task_.plan.n + i)] = solver.coefficient(i);
    });
    task_.device.expand(task_.x, task_.x, task_.kernel.with_gamma(gamma),
                        {out.coef.data(), task_.plan.n, count},
                        {out.decision.data(), task_.plan.n, count}, task_.threads, task_.context);
    out.residual = 0;
    for (index_t s = 0; s < count; ++s) {
      DualSolver& solver = *solvers_[static_cast<std::size_t>(s)];
      solver.correct(out.decision.data() + s * task_.plan.n);
      out.residual = std::max(out.residual, solver.gap());
    }
    out.converged = out.residual <= tol;
  }
  for (const auto& solver : solvers_) out.iterations += solver->steps();
  return out;
}

}  // namespace flexkern
