#include "cell.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/solver/dense.h"
#include "core/solver/screen.h"
#include "folds.h"
#include "grid.h"

namespace flexkern {
namespace {

// Cells up to this size are searched and solved by exact factorisations.
constexpr index_t kDenseRows = 64;
// Cells below this size are done before a second thread has started.
constexpr index_t kSerialRows = 500;
// Systems that stall in single precision are factorised up to this size.
constexpr index_t kFallbackRows = 1500;
// Values that the second pass puts between two values of the grid.
constexpr index_t kRefineGammas = 2, kRefineLambdas = 3;

// How much of the time of a cell its search takes, for the sake of progress.
constexpr double kSearchShare = 0.8;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class CellFitter {
 public:
  CellFitter(const CellData& data, const CellOptions& options, const Device& device,
             std::uint64_t item, int threads, Context& context)
      : data_(data),
        options_(options),
        device_(device),
        item_(item),
        threads_(data.x.rows() < kSerialRows ? 1 : threads),
        context_(context),
        n_(data.x.rows()) {}

  CellFit run();

 private:
  void split_responses();
  FoldPlan make_plan(index_t stride);
  bool search_needed() const {
    return !plan_->folds[0].held_out.empty() && gammas_.size() * lambdas_.size() > 1;
  }
  void search(Surface& surface);
  void refine();
  Solution solve(const FoldPlan& plan);
  void collect_folds(const Solution& solution);
  void finish(const Solution& solution, const FoldPlan& plan);
  FoldPlan whole_plan() const;
  void report(double share);
  CellFit constant_fit();
  void note(const Solution& solution);
  ConstMatrixRef responses() const {
    return {responses_.data(), n_, static_cast<index_t>(varying_.size())};
  }
  double weight(index_t i) const { return data_.weights[static_cast<std::size_t>(i)]; }

  const CellData& data_;
  const CellOptions& options_;
  const Device& device_;
  std::uint64_t item_;
  int threads_;
  Context& context_;
  index_t n_;
  std::vector<index_t> varying_;   // responses that are not constant
  std::vector<double> responses_;  // their columns
  std::vector<double> gammas_, lambdas_;
  std::unique_ptr<GramMatrix> gram_;
  std::unique_ptr<FoldPlan> plan_;
  CellFit fit_;
  double reported_ = 0;  // units of progress, the cell's work being n^2
};

// A response without variation is predicted by its constant and takes no part in the rest.
void CellFitter::split_responses() {
  const index_t count = data_.y.cols();
  fit_.intercept.assign(static_cast<std::size_t>(count), 0.0);
  for (index_t c = 0; c < count; ++c) {
    const double* y = data_.y.col(c);
    index_t first = 0;
    while (first + 1 < n_ && !(weight(first) > 0)) ++first;
    bool varies = false;
    for (index_t i = 0; i < n_; ++i) varies = varies || (weight(i) > 0 && y[i] != y[first]);
    if (varies) {
      varying_.push_back(c);
      responses_.insert(responses_.end(), y, y + n_);
    } else {
      fit_.intercept[static_cast<std::size_t>(c)] = y[first];
    }
  }
  const std::size_t size = static_cast<std::size_t>(n_ * count);
  fit_.coef.assign(size, 0.0);
  fit_.held_out.assign(size, kMissing);
  fit_.fitted.resize(size);
  for (std::size_t i = 0; i < size; ++i)
    fit_.fitted[i] = fit_.intercept[i / static_cast<std::size_t>(n_)];
  fit_.fold.assign(static_cast<std::size_t>(n_), -1);
}

FoldPlan CellFitter::make_plan(index_t stride) {
  FoldPlan plan(n_, stride, data_.weights);
  const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
  if (options_.split) {
    // The theory's variant: rows 1 .. floor(n/2) + 1 train, the others validate.
    const index_t train = n_ / 2 + 1;
    for (index_t i = train; i < n_; ++i) fit_.fold[at(i)] = 0;
    plan.add([=](index_t i) { return i < train; }, [=](index_t i) { return i >= train; });
  } else if (options_.folds >= 2) {
    fit_.fold = fold_assignment(data_.strata, options_.folds, context_.seed, item_);
    const int folds = 1 + *std::max_element(fit_.fold.begin(), fit_.fold.end());
    for (int f = 0; f < folds; ++f)
      plan.add([&](index_t i) { return fit_.fold[at(i)] != f; },
               [&](index_t i) { return fit_.fold[at(i)] == f; });
  } else {
    return whole_plan();
  }
  return plan;
}

FoldPlan CellFitter::whole_plan() const {
  FoldPlan plan(n_, gram_ ? gram_->stride() : n_, data_.weights);
  plan.add([](index_t) { return true; }, [](index_t) { return false; });
  return plan;
}

void CellFitter::search(Surface& surface) {
  if (!gram_) {
    search_dense(*plan_, responses(), data_.x, options_.kernel, device_, options_.search, context_,
                 surface);
  } else {
    const SearchTask task{*plan_,   responses(),
                          *gram_,   device_.host(),
                          threads_, options_.search,
                          context_, [this](double share) { report(kSearchShare * share); }};
    if (options_.search.race && options_.search.direct && responses().cols() >= kManyResponses)
      search_screened(task, item_, surface);
    else
      search_krylov(task, surface);
  }
  const Choice best = best_choice(surface);
  if (best.risk < fit_.choice.risk) fit_.choice = best;
}

void CellFitter::refine() {
  std::vector<double> gammas = between_neighbours(gammas_, fit_.choice.gamma, kRefineGammas);
  gammas.push_back(fit_.choice.gamma);
  std::vector<double> lambdas = between_neighbours(lambdas_, fit_.choice.lambda, kRefineLambdas);
  lambdas.push_back(fit_.choice.lambda);
  std::sort(lambdas.rbegin(), lambdas.rend());
  Surface finer(gammas, lambdas);
  search(finer);
}

Solution CellFitter::solve(const FoldPlan& plan) {
  const Kernel kernel = options_.kernel.with_gamma(fit_.choice.gamma);
  const auto dense = [&] {
    return solve_dense(plan, responses(), data_.x, kernel, device_, fit_.choice.lambda,
                       options_.tol, context_);
  };
  if (!gram_) return dense();
  gram_->set_gamma(kernel.gamma);
  SolveOptions how;
  how.lambda = fit_.choice.lambda;
  how.tol = options_.tol;
  how.max_iter = options_.search.max_iter;
  how.direct = options_.search.direct;
  Solution solution =
      solve_refined(plan, responses(), data_.x, kernel, *gram_, device_, threads_, how, context_);
  const bool stalled = !solution.converged && solution.iterations < how.max_iter;
  return stalled && how.direct && n_ <= kFallbackRows ? dense() : solution;
}

void CellFitter::note(const Solution& solution) {
  fit_.converged = fit_.converged && solution.converged;
  fit_.iterations += solution.iterations;
}

// Held-out decision values and their risk, from the fold models.
void CellFitter::collect_folds(const Solution& solution) {
  const std::size_t n = static_cast<std::size_t>(n_), count = varying_.size();
  double loss = 0, weight_sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (fit_.fold[i] < 0) continue;
    for (std::size_t c = 0; c < fit_.intercept.size(); ++c)
      fit_.held_out[c * n + i] = fit_.intercept[c];
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t s = static_cast<std::size_t>(fit_.fold[i]) * count + c;
      const double value = solution.decision[s * n + i];
      fit_.held_out[static_cast<std::size_t>(varying_[c]) * n + i] = value;
      const double error = responses_[c * n + i] - options_.search.clip(value);
      loss += data_.weights[i] * error * error;
    }
    weight_sum += data_.weights[i];
  }
  const double risk = weight_sum > 0 ? loss / (weight_sum * static_cast<double>(count)) : kMissing;
  // The search's value of the chosen pair gives way to the accurate one.
  Surface& surface = fit_.surface;
  for (std::size_t g = 0; g < surface.gammas.size(); ++g)
    for (std::size_t l = 0; l < surface.lambdas.size(); ++l)
      if (surface.gammas[g] == fit_.choice.gamma && surface.lambdas[l] == fit_.choice.lambda)
        surface.risk[surface.at(g, l)] = risk;
  fit_.choice.risk = risk;
}

// The decision function: the mean over the plan's folds.
void CellFitter::finish(const Solution& solution, const FoldPlan& plan) {
  const std::size_t n = static_cast<std::size_t>(n_), count = varying_.size();
  const double share = 1.0 / static_cast<double>(plan.folds.size());
  for (std::size_t c = 0; c < count; ++c) {
    double* coef = fit_.coef.data() + static_cast<std::size_t>(varying_[c]) * n;
    double* fitted = fit_.fitted.data() + static_cast<std::size_t>(varying_[c]) * n;
    std::fill(fitted, fitted + n, 0.0);
    for (std::size_t f = 0; f < plan.folds.size(); ++f)
      for (std::size_t i = 0; i < n; ++i) {
        coef[i] += share * solution.coef[(f * count + c) * n + i];
        fitted[i] += share * solution.decision[(f * count + c) * n + i];
      }
  }
}

// Progress up to this share of the cell's work.
void CellFitter::report(double share) {
  const double units = share * static_cast<double>(n_) * static_cast<double>(n_);
  if (units <= reported_) return;
  context_.advance(units - reported_);
  reported_ = units;
}

// Whatever is left out, the models are the same constants, unless nothing is left to learn from.
CellFit CellFitter::constant_fit() {
  report(1);
  const auto counts = [](double w) { return w > 0; };
  if (std::count_if(data_.weights.begin(), data_.weights.end(), counts) > 1)
    fit_.held_out = fit_.fitted;
  fit_.choice.risk = kMissing;
  return std::move(fit_);
}

CellFit CellFitter::run() {
  Stopwatch watch;
  split_responses();
  const index_t d = varying_columns(data_.x);
  gammas_ = options_.gammas.empty() ? default_gammas(options_.kernel, n_, d) : options_.gammas;
  lambdas_ = options_.lambdas.empty() ? default_lambdas(n_) : options_.lambdas;
  if (!options_.costs.empty()) lambdas_.clear();
  for (double cost : options_.costs) lambdas_.push_back(1 / (2 * cost * static_cast<double>(n_)));
  std::sort(lambdas_.rbegin(), lambdas_.rend());
  fit_.choice = {gammas_[0], lambdas_[0], std::numeric_limits<double>::infinity()};
  if (varying_.empty()) return constant_fit();

  if (n_ > kDenseRows) gram_ = device_.gram(data_.x, options_.kernel, threads_, context_);
  plan_ = std::make_unique<FoldPlan>(make_plan(gram_ ? gram_->stride() : n_));
  if (search_needed()) {
    fit_.surface = Surface(gammas_, lambdas_);
    search(fit_.surface);
    if (options_.refine) refine();
  }
  fit_.search_seconds = watch.lap();
  const Solution folds = solve(*plan_);
  note(folds);
  if (plan_->folds[0].held_out.empty() || options_.average) {
    finish(folds, *plan_);
  } else {
    const FoldPlan whole = whole_plan();
    const Solution solution = solve(whole);
    note(solution);
    finish(solution, whole);
  }
  collect_folds(folds);
  report(1);
  fit_.solve_seconds = watch.lap();
  return std::move(fit_);
}

}  // namespace

double cell_bytes(index_t n, index_t d, index_t responses, const CellOptions& options,
                  const Device& device) {
  const double rows = static_cast<double>(n), columns = static_cast<double>(responses);
  const double systems = columns * std::max(options.folds, 1);
  const double gammas =
      static_cast<double>(options.gammas.empty() ? std::size_t{10} : options.gammas.size());
  // Each gamma's lane holds five blocks and a short basis; one lane at a time has a long basis.
  const double lanes = gammas * rows * 4 * (5 * systems + 32 * columns);
  const double basis = 1.5 * 400 * rows * columns * 4;
  // The final solve: blocks of conjugate gradients, the preconditioner, vectors in double
  // precision.
  const double solve = rows * (systems * (6 * 4 + 6 * 8) + 4 * 320 * 4);
  const double points = 2 * 8 * rows * static_cast<double>(d);
  return device.gram_bytes(n) + points + std::max(lanes + basis, solve);
}

double factor_bytes(index_t n, const CellOptions& options) {
  const double rows = static_cast<double>(n);
  return 4 * rows * rows * std::max(options.folds, 1);
}

CellFit fit_cell(const CellData& data, const CellOptions& options, const Device& device,
                 std::uint64_t item, int threads, Context& context) {
  return CellFitter(data, options, device, item, threads, context).run();
}

}  // namespace flexkern
