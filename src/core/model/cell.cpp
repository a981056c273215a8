#include "cell.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cell_machine.h"
#include "core/base/stopwatch.h"
#include "core/base/weights.h"
#include "core/solver/held_out.h"
#include "folds.h"
#include "grid.h"

namespace flexkern {
namespace {

// Cells below this size are done before a second thread has started.
constexpr index_t kSerialRows = 500;
// Values that the second pass puts between two values of the grid.
constexpr index_t kRefineGammas = 2, kRefineLambdas = 3;

// How much of the time of a cell its search takes, for the sake of progress.
constexpr double kSearchShare = 0.8;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using Rows = std::vector<index_t>;

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
        n_(data.own()) {
    balance_weights();
  }

  CellFit run();

 private:
  void balance_weights();
  void split_responses();
  void load();
  void widen();
  FoldPlan make_plan();
  bool search_needed() const {
    return (options_.split || options_.folds >= 2) && gammas_.size() * lambdas_.size() > 1;
  }
  bool is_large() const { return n_ > options_.search_rows; }
  // Whether one of several responses is searched for.
  bool has_lead() const { return options_.lead >= 0 && varying_.size() == fit_.intercept.size(); }
  void make_grid();
  MachineTask machine_task();
  void search(Surface& surface);
  void search_all();
  void search_sample();
  void descend_from_sample();
  void refine();
  void solve_final();
  void measure_rows();
  void collect_folds(const Solution& solution);
  void raise_levels(const HeldOutRisk& risk);
  void correct_surface();
  void set_constants();
  void finish(const Solution& solution, const FoldPlan& plan);
  void settle_fitted();
  FoldPlan empty_plan() const;
  FoldPlan whole_plan() const;
  void report(double share);
  CellFit constant_fit();
  CellFit zero_fit();
  void note(const Solution& solution);
  Points points() const { return data_.x.middle(0, n_); }
  ConstMatrixRef responses() const {
    return {responses_.data(), n_, static_cast<index_t>(varying_.size())};
  }
  double weight(index_t i) const { return data_.weights[static_cast<std::size_t>(i)]; }

  CellData data_;
  std::vector<double> balanced_;  // behind its weights of the responses
  const CellOptions& options_;
  const Device& device_;
  std::uint64_t item_;
  int threads_;
  Context& context_;
  index_t n_;  // the rows that models train on: first the own ones, then those of the margin too
  std::vector<index_t> varying_;   // responses that are not constant
  std::vector<double> responses_;  // their columns
  std::vector<double> response_weights_;
  std::vector<Loss> losses_;     // and their losses
  std::vector<double> offsets_;  // added to the decision values of the responses
  std::vector<double> size_;     // of the rows, by the kernel of the chosen gamma
  std::vector<double> gammas_, lambdas_;
  std::unique_ptr<CellMachine> machine_;
  std::unique_ptr<FoldPlan> plan_;
  CellFit fit_;
  double reported_ = 0;  // units of progress, the cell's work being n^2
};

// The weights of each machine of the cell have mean 1 over the cell's own rows.
void CellFitter::balance_weights() {
  balance(data_.weights.data(), data_.x.rows(), data_.own());
  const ConstMatrixRef given = data_.response_weights;
  for (index_t c = 0; c < given.cols(); ++c)
    balanced_.insert(balanced_.end(), given.col(c), given.col(c) + given.rows());
  for (index_t c = 0; c < given.cols(); ++c)
    balance(balanced_.data() + c * given.rows(), given.rows(), data_.own());
  if (given.cols() > 0) data_.response_weights = {balanced_.data(), given.rows(), given.cols()};
}

// A response without variation is predicted by its constant and takes no part in the rest.
void CellFitter::split_responses() {
  varying_.clear();
  responses_.clear();
  response_weights_.clear();
  losses_.clear();
  fit_.intercept.assign(static_cast<std::size_t>(data_.y.cols()), 0.0);
  for (index_t c = 0; c < data_.y.cols(); ++c) {
    const double* y = data_.y.col(c);
    index_t first = 0;
    while (first + 1 < n_ && !(data_.weight(first, c) > 0)) ++first;
    bool varies = false;
    for (index_t i = 0; i < n_; ++i)
      varies = varies || (data_.weight(i, c) > 0 && y[i] != y[first]);
    if (varies) {
      varying_.push_back(c);
      responses_.insert(responses_.end(), y, y + n_);
      losses_.push_back(options_.losses.empty() ? Loss()
                                                : options_.losses[static_cast<std::size_t>(c)]);
      for (index_t i = 0; i < n_ && data_.response_weights.cols() > 0; ++i)
        response_weights_.push_back(data_.weight(i, c));
    } else {
      fit_.intercept[static_cast<std::size_t>(c)] = y[first];
    }
  }
}

MachineTask CellFitter::machine_task() {
  const index_t weighted = data_.response_weights.cols() > 0 ? responses().cols() : 0;
  return {points(),
          responses(),
          {response_weights_.data(), n_, weighted},
          losses_,
          has_lead() ? options_.lead : -1,
          n_ > data_.own(),
          options_,
          device_,
          item_,
          threads_,
          context_,
          [this](double share) { report(kSearchShare * share); }};
}

// The machines and the folds of the rows that models train on now.
void CellFitter::load() {
  machine_.reset();
  plan_ = nullptr;
  machine_ = options_.losses.empty() ? make_linear_machine(machine_task())
                                     : make_dual_machine(machine_task());
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
  return {n_, machine_->stride(), data_.weights, data_.own()};
}

// Rows of the margin train in every fold: only own rows are held out.
FoldPlan CellFitter::make_plan() {
  FoldPlan plan = empty_plan();
  const auto at = [](index_t i) { return static_cast<std::size_t>(i); };
  const index_t own = data_.own();
  fit_.fold.assign(at(own), -1);
  if (options_.split && options_.train != 0) {
    // The theory's variant: rows 1 .. floor(n/2) + 1 train, the others validate.
    const index_t train = options_.train > 0 ? options_.train : own / 2 + 1;
    for (index_t i = train; i < own; ++i) fit_.fold[at(i)] = 0;
    plan.add([=](index_t i) { return i < train || i >= own; },
             [=](index_t i) { return i >= train && i < own; });
  } else if (options_.folds >= 2 && !options_.split) {
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
  machine_->search(*plan_, surface);
  const Choice best = best_choice(surface);
  if (best.risk < fit_.choice.risk) fit_.choice = best;
}

void CellFitter::search_all() {
  fit_.surface = Surface(gammas_, lambdas_);
  fit_.searched_rows = n_;
  search(fit_.surface);
  if (options_.refine) refine();
}

// The search on a sample of the rows. lambda * rows is that of all rows, the scale on which good
// penalties stay where they are (Steinwart, Hush and Scovel 2011: C = 1 / (2 lambda n)).
void CellFitter::search_sample() {
  const std::vector<double> weights(data_.weights.begin(), data_.weights.begin() + n_);
  const std::vector<int> strata(data_.strata.begin(), data_.strata.begin() + n_);
  const std::vector<index_t> rows =
      stratified_sample(strata, weights, options_.search_rows, context_.seed, item_);
  const auto used = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
  const double share = static_cast<double>(rows.size()) / static_cast<double>(used);
  const ChosenPoints x(data_.x, rows), y(data_.y, rows);
  const ChosenPoints w(data_.response_weights, data_.response_weights.cols() > 0 ? rows : Rows());
  CellData data{x.points(), y.points().dense(), {}, {}, 0, w.points().dense()};
  for (const index_t i : rows) {
    data.weights.push_back(weight(i));
    data.strata.push_back(data_.strata[static_cast<std::size_t>(i)]);
  }
  CellOptions options = options_;
  options.gammas = gammas_;
  options.lambdas = lambdas_;
  options.costs.clear();
  for (double& lambda : options.lambdas) lambda /= share;
  if (options.train > 0)
    options.train = std::lower_bound(rows.begin(), rows.end(), options.train) - rows.begin();
  CellFitter sample(data, options, device_, item_, threads_, context_);
  sample.split_responses();
  sample.make_grid();
  if (sample.varying_.empty()) return;
  sample.load();
  sample.search_all();
  reported_ = sample.reported_;
  fit_.surface = std::move(sample.fit_.surface);
  fit_.surface.lambdas = lambdas_;
  fit_.searched_rows = sample.n_;
  fit_.choice = sample.fit_.choice;
  fit_.choice.lambda *= share;
}

// Adds a value to a list unless one is there that differs by rounding only; returns its position.
std::size_t position(std::vector<double>& values, double value) {
  const auto same = [value](double v) { return std::fabs(v - value) <= 1e-9 * value; };
  const auto at = std::find_if(values.begin(), values.end(), same);
  if (at != values.end()) return static_cast<std::size_t>(at - values.begin());
  return static_cast<std::size_t>(
      values.insert(std::upper_bound(values.begin(), values.end(), value), value) - values.begin());
}

// Downhill on the grid by fold models on all rows, from the pair that is best on the sample. More
// rows never ask for a wider kernel, so that only narrower ones are looked at, first of all, and
// with a larger penalty too: it makes up for a narrower kernel.
void CellFitter::descend_from_sample() {
  std::vector<double> gammas = gammas_, lambdas = lambdas_;
  std::sort(gammas.begin(), gammas.end());
  std::sort(lambdas.begin(), lambdas.end());
  std::size_t g = position(gammas, fit_.choice.gamma), l = position(lambdas, fit_.choice.lambda);
  const CellMachine::PairRisk risk = machine_->pair_risk(*plan_, fit_.choice.risk);
  Choice& best = fit_.choice;
  best.risk = std::numeric_limits<double>::infinity();
  const auto look = [&](std::size_t to_g, std::size_t to_l) {
    if (to_g >= gammas.size() || to_l >= lambdas.size()) return false;
    const Choice pair{gammas[to_g], lambdas[to_l], 0};
    for (const Choice& t : fit_.tried)
      if (t.gamma == pair.gamma && t.lambda == pair.lambda) return false;
    fit_.tried.push_back({pair.gamma, pair.lambda, risk(pair.gamma, pair.lambda)});
    if (!(fit_.tried.back().risk < best.risk)) return false;
    best = fit_.tried.back();
    g = to_g;
    l = to_l;
    return true;
  };
  look(g, l);
  while (look(g + 1, l) || look(g + 1, l + 1) || look(g, l + 1) || look(g, l - 1)) {
  }
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

void CellFitter::note(const Solution& solution) {
  fit_.converged = fit_.converged && solution.converged;
  fit_.iterations += solution.iterations;
  fit_.gap = std::max(fit_.gap, solution.residual);
}

// Held-out decision values and their risk, from the fold models.
void CellFitter::collect_folds(const Solution& solution) {
  const std::size_t n = static_cast<std::size_t>(n_), own = fit_.fold.size();
  const std::size_t count = varying_.size();
  HeldOutRisk risk(losses_, options_.search.clip, options_.labels == Labels::largest);
  std::vector<double> y(count), f(count), w(count), limit(count), known;
  for (std::size_t s = 0; s * n < solution.coef.size(); ++s)
    known.push_back(resolution(solution.coef.data() + s * n, n_, size_));
  fit_.held_out.assign(own * fit_.intercept.size(), kMissing);
  for (std::size_t i = 0; i < own; ++i) {
    if (fit_.fold[i] < 0) continue;
    for (std::size_t c = 0; c < fit_.intercept.size(); ++c)
      fit_.held_out[c * own + i] = fit_.intercept[c];
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t s = static_cast<std::size_t>(fit_.fold[i]) * count + c;
      y[c] = responses_[c * n + i];
      f[c] = solution.decision[s * n + i];
      limit[c] = known[s] * size_[i];
      w[c] = data_.weight(static_cast<index_t>(i), varying_[c]);
    }
    settle_ties(options_.labels, limit, f);
    for (std::size_t c = 0; c < count; ++c)
      fit_.held_out[static_cast<std::size_t>(varying_[c]) * own + i] = f[c];
    risk.add(y, f, w);
  }
  fit_.choice.risk = risk.value();
  fit_.risks.assign(fit_.intercept.size(), kMissing);
  for (std::size_t c = 0; c < count; ++c)
    fit_.risks[static_cast<std::size_t>(varying_[c])] = risk.value(c);
  raise_levels(risk);
}

// Held-out decision values get the constant that the model gets.
void CellFitter::raise_levels(const HeldOutRisk& risk) {
  const std::size_t own = fit_.fold.size();
  offsets_.assign(fit_.intercept.size(), 0.0);
  for (std::size_t c = 0; c < varying_.size(); ++c) {
    const std::size_t response = static_cast<std::size_t>(varying_[c]);
    offsets_[response] = risk.offset(c);
    for (std::size_t i = 0; i < own; ++i) fit_.held_out[response * own + i] += offsets_[response];
  }
}

// The search's values of the chosen pair give way to the accurate ones.
void CellFitter::correct_surface() {
  const double risk =
      has_lead() ? fit_.risks[static_cast<std::size_t>(options_.lead)] : fit_.choice.risk;
  for (Choice& pair : fit_.tried)
    if (pair.gamma == fit_.choice.gamma && pair.lambda == fit_.choice.lambda) pair.risk = risk;
  if (fit_.searched_rows < n_) return;
  Surface& surface = fit_.surface;
  for (std::size_t g = 0; g < surface.gammas.size(); ++g)
    for (std::size_t l = 0; l < surface.lambdas.size(); ++l) {
      if (surface.gammas[g] != fit_.choice.gamma || surface.lambdas[l] != fit_.choice.lambda)
        continue;
      const std::size_t at = surface.at(g, l), pairs = surface.risk.size();
      surface.risk[at] = risk;
      for (std::size_t c = 0; c * pairs < surface.each.size(); ++c)
        surface.each[at + c * pairs] = fit_.risks[static_cast<std::size_t>(varying_[c])];
    }
}

// Constants for all responses, no expansion yet.
void CellFitter::set_constants() {
  const std::size_t own = static_cast<std::size_t>(data_.own()), n = static_cast<std::size_t>(n_);
  fit_.coef.assign(n * fit_.intercept.size(), 0.0);
  fit_.fitted.clear();
  for (const double constant : fit_.intercept) fit_.fitted.insert(fit_.fitted.end(), own, constant);
}

// The decision function: the mean over the plan's folds, raised by what the folds ask for.
void CellFitter::finish(const Solution& solution, const FoldPlan& plan) {
  const std::size_t n = static_cast<std::size_t>(n_), own = static_cast<std::size_t>(data_.own());
  const std::size_t count = varying_.size();
  const double share = 1.0 / static_cast<double>(plan.folds.size());
  for (std::size_t c = 0; c < count; ++c)
    fit_.intercept[static_cast<std::size_t>(varying_[c])] =
        offsets_[static_cast<std::size_t>(varying_[c])];
  set_constants();
  if (plan.folds.size() > 1 && data_.y.cols() == 1) fit_.fold_coef = solution.coef;
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
  settle_fitted();
}

void CellFitter::settle_fitted() {
  const std::size_t own = static_cast<std::size_t>(data_.own()), n = static_cast<std::size_t>(n_);
  std::vector<double> f(fit_.intercept.size()), limit(f.size()), known;
  for (std::size_t c = 0; c < f.size(); ++c)
    known.push_back(resolution(fit_.coef.data() + c * n, n_, size_));
  for (std::size_t i = 0; i < own; ++i) {
    for (std::size_t c = 0; c < f.size(); ++c) {
      f[c] = fit_.fitted[c * own + i];
      limit[c] = known[c] * size_[i];
    }
    settle_ties(options_.labels, limit, f);
    for (std::size_t c = 0; c < f.size(); ++c) fit_.fitted[c * own + i] = f[c];
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

// Without rows to learn from, the decision is 0 (Eberts and Steinwart, section 5).
CellFit CellFitter::zero_fit() {
  report(1);
  std::fill(fit_.intercept.begin(), fit_.intercept.end(), 0.0);
  set_constants();
  fit_.held_out = fit_.fitted;
  fit_.fold.assign(static_cast<std::size_t>(data_.own()), 0);
  fit_.choice.risk = kMissing;
  return std::move(fit_);
}

void CellFitter::measure_rows() {
  size_ = kernel_sizes(points(), options_.kernel.with_gamma(fit_.choice.gamma), device_);
}

// The models at the chosen pair: those of the folds, and the final one.
void CellFitter::solve_final() {
  const bool average = plan_->folds[0].held_out.empty() || options_.average;
  const index_t searched = n_;
  if (average) widen();
  measure_rows();
  const Solution folds = machine_->solve(*plan_, fit_.choice);
  note(folds);
  collect_folds(folds);
  if (n_ == searched) correct_surface();
  if (average) return finish(folds, *plan_);
  widen();
  measure_rows();
  const FoldPlan whole = whole_plan();
  const Solution solution = machine_->solve(whole, fit_.choice);
  note(solution);
  finish(solution, whole);
}

void CellFitter::make_grid() {
  gammas_ = options_.gammas;
  if (gammas_.empty()) gammas_ = default_gammas(options_.kernel, n_, varying_columns(points()));
  lambdas_ = options_.lambdas.empty() ? default_lambdas(n_) : options_.lambdas;
  if (!options_.costs.empty()) lambdas_.clear();
  for (double cost : options_.costs) lambdas_.push_back(1 / (2 * cost * static_cast<double>(n_)));
  std::sort(lambdas_.rbegin(), lambdas_.rend());
  fit_.choice = {gammas_[0], lambdas_[0], std::numeric_limits<double>::infinity()};
}

CellFit CellFitter::run() {
  Stopwatch watch;
  split_responses();
  make_grid();
  if (options_.split && options_.train == 0 && options_.average) return zero_fit();
  if (varying_.empty()) return constant_fit();

  if (search_needed() && is_large()) search_sample();
  load();
  const bool validated = !plan_->folds[0].held_out.empty();
  if (search_needed() && validated && is_large())
    descend_from_sample();
  else if (search_needed() && validated)
    search_all();
  fit_.search_seconds = watch.lap();
  solve_final();
  report(1);
  fit_.solve_seconds = watch.lap();
  return std::move(fit_);
}

}  // namespace

CellFit fit_cell(const CellData& data, const CellOptions& options, const Device& device,
                 std::uint64_t item, int threads, Context& context) {
  return CellFitter(data, options, device, item, threads, context).run();
}

}  // namespace flexkern
