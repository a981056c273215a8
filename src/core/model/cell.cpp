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
        n_(data.own()) {}

  CellFit run();

 private:
  void split_responses();
  void load();
  void widen();
  FoldPlan make_plan();
  bool search_needed() const {
    return !plan_->folds[0].held_out.empty() && gammas_.size() * lambdas_.size() > 1;
  }
  void search(Surface& surface);
  void refine();
  Solution solve(const FoldPlan& plan);
  void solve_final();
  void collect_folds(const Solution& solution);
  void correct_surface();
  void set_constants();
  void finish(const Solution& solution, const FoldPlan& plan);
  FoldPlan empty_plan() const;
  FoldPlan whole_plan() const;
  void report(double share);
  CellFit constant_fit();
  void note(const Solution& solution);
  Points points() const { return data_.x.middle(0, n_); }
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
  index_t n_;  // the rows that models train on: first the own ones, then those of the margin too
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
  varying_.clear();
  responses_.clear();
  fit_.intercept.assign(static_cast<std::size_t>(data_.y.cols()), 0.0);
  for (index_t c = 0; c < data_.y.cols(); ++c) {
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
}

// The Gram matrix and the folds of the rows that models train on now.
void CellFitter::load() {
  gram_.reset();
  if (n_ > kDenseRows) gram_ = device_.gram(points(), options_.kernel, threads_, context_);
  plan_ = std::make_unique<FoldPlan>(make_plan());
}

// From here on models train on the margin too.
void CellFitter::widen() {
  if (n_ == data_.x.rows()) return;
  n_ = data_.x.rows();
  split_responses();
  load();
}

FoldPlan CellFitter::empty_plan() const {
  return {n_, gram_ ? gram_->stride() : n_, data_.weights, data_.own()};
}

// Rows of the margin train in every fold: only own rows are held out.
FoldPlan CellFitter::make_plan() {
  FoldPlan plan = empty_plan();
  const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
  const index_t own = data_.own();
  fit_.fold.assign(at(own), -1);
  if (options_.split) {
    // The theory's variant: rows 1 .. floor(n/2) + 1 train, the others validate.
    const index_t train = own / 2 + 1;
    for (index_t i = train; i < own; ++i) fit_.fold[at(i)] = 0;
    plan.add([=](index_t i) { return i < train || i >= own; },
             [=](index_t i) { return i >= train && i < own; });
  } else if (options_.folds >= 2) {
    const std::vector<int> strata(data_.strata.begin(), data_.strata.begin() + own);
    fit_.fold = fold_assignment(strata, options_.folds, context_.seed, item_);
    const int folds = 1 + *std::max_element(fit_.fold.begin(), fit_.fold.end());
    for (int f = 0; f < folds; ++f)
      plan.add([&](index_t i) { return i >= own || fit_.fold[at(i)] != f; },
               [&](index_t i) { return i < own && fit_.fold[at(i)] == f; });
  } else {
    return whole_plan();
  }
  return plan;
}

FoldPlan CellFitter::whole_plan() const {
  FoldPlan plan = empty_plan();
  plan.add([](index_t) { return true; }, [](index_t) { return false; });
  return plan;
}

void CellFitter::search(Surface& surface) {
  if (!gram_) {
    search_dense(*plan_, responses(), points(), options_.kernel, device_, options_.search, context_,
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
    return solve_dense(plan, responses(), points(), kernel, device_, fit_.choice.lambda,
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
      solve_refined(plan, responses(), points(), kernel, *gram_, device_, threads_, how, context_);
  const bool stalled = !solution.converged && solution.iterations < how.max_iter;
  return stalled && how.direct && n_ <= kFallbackRows ? dense() : solution;
}

void CellFitter::note(const Solution& solution) {
  fit_.converged = fit_.converged && solution.converged;
  fit_.iterations += solution.iterations;
}

// Held-out decision values and their risk, from the fold models.
void CellFitter::collect_folds(const Solution& solution) {
  const std::size_t n = static_cast<std::size_t>(n_), own = fit_.fold.size();
  const std::size_t count = varying_.size();
  double loss = 0, weight_sum = 0;
  fit_.held_out.assign(own * fit_.intercept.size(), kMissing);
  for (std::size_t i = 0; i < own; ++i) {
    if (fit_.fold[i] < 0) continue;
    for (std::size_t c = 0; c < fit_.intercept.size(); ++c)
      fit_.held_out[c * own + i] = fit_.intercept[c];
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t s = static_cast<std::size_t>(fit_.fold[i]) * count + c;
      const double value = solution.decision[s * n + i];
      fit_.held_out[static_cast<std::size_t>(varying_[c]) * own + i] = value;
      const double error = responses_[c * n + i] - options_.search.clip(value);
      loss += data_.weights[i] * error * error;
    }
    weight_sum += data_.weights[i];
  }
  fit_.choice.risk = weight_sum > 0 ? loss / (weight_sum * static_cast<double>(count)) : kMissing;
}

// The search's value of the chosen pair gives way to the accurate one.
void CellFitter::correct_surface() {
  Surface& surface = fit_.surface;
  for (std::size_t g = 0; g < surface.gammas.size(); ++g)
    for (std::size_t l = 0; l < surface.lambdas.size(); ++l)
      if (surface.gammas[g] == fit_.choice.gamma && surface.lambdas[l] == fit_.choice.lambda)
        surface.risk[surface.at(g, l)] = fit_.choice.risk;
}

// Constants for all responses, no expansion yet.
void CellFitter::set_constants() {
  const std::size_t own = static_cast<std::size_t>(data_.own()), n = static_cast<std::size_t>(n_);
  fit_.coef.assign(n * fit_.intercept.size(), 0.0);
  fit_.fitted.clear();
  for (const double constant : fit_.intercept) fit_.fitted.insert(fit_.fitted.end(), own, constant);
}

// The decision function: the mean over the plan's folds.
void CellFitter::finish(const Solution& solution, const FoldPlan& plan) {
  const std::size_t n = static_cast<std::size_t>(n_), own = static_cast<std::size_t>(data_.own());
  const std::size_t count = varying_.size();
  const double share = 1.0 / static_cast<double>(plan.folds.size());
  set_constants();
  for (std::size_t c = 0; c < count; ++c) {
    double* coef = fit_.coef.data() + static_cast<std::size_t>(varying_[c]) * n;
    double* fitted = fit_.fitted.data() + static_cast<std::size_t>(varying_[c]) * own;
    for (std::size_t f = 0; f < plan.folds.size(); ++f) {
      const double* from = solution.coef.data() + (f * count + c) * n;
      const double* decision = solution.decision.data() + (f * count + c) * n;
      for (std::size_t i = 0; i < n; ++i) coef[i] += share * from[i];
      for (std::size_t i = 0; i < own; ++i) fitted[i] += share * decision[i];
    }
  }
}

// Progress up to this share of the cell's work.
void CellFitter::report(double share) {
  const double units = share * static_cast<double>(data_.own()) * static_cast<double>(data_.own());
  if (units <= reported_) return;
  context_.advance(units - reported_);
  reported_ = units;
}

// Whatever is left out, the models are the same constants, unless nothing is left to learn from.
CellFit CellFitter::constant_fit() {
  report(1);
  set_constants();
  const auto counts = [](double w) { return w > 0; };
  const auto end = data_.weights.begin() + data_.own();
  if (std::count_if(data_.weights.begin(), end, counts) > 1)
    fit_.held_out = fit_.fitted;
  else
    fit_.held_out.assign(fit_.fitted.size(), kMissing);
  fit_.fold.assign(static_cast<std::size_t>(data_.own()), -1);
  fit_.choice.risk = kMissing;
  return std::move(fit_);
}

// The models at the chosen pair: those of the folds, and the final one.
void CellFitter::solve_final() {
  const bool average = plan_->folds[0].held_out.empty() || options_.average;
  const index_t searched = n_;
  if (average) widen();
  const Solution folds = solve(*plan_);
  note(folds);
  collect_folds(folds);
  if (n_ == searched) correct_surface();
  if (average) return finish(folds, *plan_);
  widen();
  const FoldPlan whole = whole_plan();
  const Solution solution = solve(whole);
  note(solution);
  finish(solution, whole);
}

CellFit CellFitter::run() {
  Stopwatch watch;
  split_responses();
  const index_t d = varying_columns(points());
  gammas_ = options_.gammas.empty() ? default_gammas(options_.kernel, n_, d) : options_.gammas;
  lambdas_ = options_.lambdas.empty() ? default_lambdas(n_) : options_.lambdas;
  if (!options_.costs.empty()) lambdas_.clear();
  for (double cost : options_.costs) lambdas_.push_back(1 / (2 * cost * static_cast<double>(n_)));
  std::sort(lambdas_.rbegin(), lambdas_.rend());
  fit_.choice = {gammas_[0], lambdas_[0], std::numeric_limits<double>::infinity()};
  if (varying_.empty()) return constant_fit();

  load();
  if (search_needed()) {
    fit_.surface = Surface(gammas_, lambdas_);
    search(fit_.surface);
    if (options_.refine) refine();
  }
  fit_.search_seconds = watch.lap();
  solve_final();
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
