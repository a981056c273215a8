#include "mekl.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/base/weights.h"
#include "core/solver/fold_plan.h"
#include "mekl_solver.h"

namespace flexkern {
namespace {

using Eigen::VectorXd;
using Rows = std::vector<index_t>;

// Little is learned if the held-out loss is above this share of the labels' variance. It may be
// nearly flat there before it falls, as on spirals.
constexpr double kPoor = 0.8;

// By machine, fold and pair of penalties.
using FoldModels = std::vector<std::vector<std::vector<MeklModel>>>;

struct Task {
  Rows rows;
  std::vector<MeklMachine> machines;
  std::uint64_t item = 0;  // of its random choices
};

Rows rows_of(const std::vector<int>& code, int first, int second) {
  Rows rows;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i] == first || code[i] == second || second < 0)
      rows.push_back(static_cast<index_t>(i));
  return rows;
}

// A pair of classes by where they first appear among the rows, whatever their codes.
std::uint64_t pair_item(const Rows& first, int p, int q) {
  const auto rank = [&](int k) {
    const auto before = [&](index_t row) { return row < first[static_cast<std::size_t>(k)]; };
    return static_cast<std::uint64_t>(std::count_if(first.begin(), first.end(), before));
  };
  const std::uint64_t a = std::min(rank(p), rank(q)), b = std::max(rank(p), rank(q));
  return a * (2 * first.size() - a - 1) / 2 + b - a - 1;
}

std::vector<Task> make_tasks(const MeklData& data, const MeklOptions& options) {
  const auto machine = [&](int positive, int negative) {
    return MeklMachine{positive, negative, {options.first, options.second}, {}, {}, true};
  };
  std::vector<Task> tasks;
  if (options.one_versus_rest && data.classes > 2) {
    tasks.push_back({rows_of(data.code, -1, -1), {}, 0});
    for (int k = 0; k < data.classes; ++k) tasks[0].machines.push_back(machine(k, -1));
    return tasks;
  }
  Rows first;
  for (int k = 0; k < data.classes; ++k)
    first.push_back(std::find(data.code.begin(), data.code.end(), k) - data.code.begin());
  for (int p = 0; p < data.classes; ++p)
    for (int q = p + 1; q < data.classes; ++q)
      tasks.push_back({rows_of(data.code, p, q), {machine(q, p)}, pair_item(first, p, q)});
  return tasks;
}

int number_of_folds(const std::vector<int>& fold) {
  return fold.empty() ? 0 : *std::max_element(fold.begin(), fold.end()) + 1;
}

// What progress counts: the views of a group, and each machine with and without each fold.
double steps(const std::vector<Task>& tasks, const std::vector<int>& fold) {
  double sum = 0;
  for (const Task& t : tasks)
    sum += 1 + static_cast<double>(t.machines.size()) * (1 + number_of_folds(fold));
  return sum;
}

class GroupFit {
 public:
  GroupFit(const MeklData& data, const MeklOptions& options, Task task, const Micro& micro,
           int threads, Context& context)
      : data_(data),
        options_(options),
        task_(std::move(task)),
        threads_(threads),
        context_(context),
        solver_(make_mekl_solver(data, options, task_.rows, task_.item, micro, threads, context)),
        folds_(number_of_folds(options.fold)) {
    for (const index_t i : task_.rows)
      weights_.push_back(data.weights[static_cast<std::size_t>(i)]);
    const index_t n = static_cast<index_t>(weights_.size());
    balance(weights_.data(), n, n);
  }

  MeklGroup run() {
    MeklGroup out;
    out.views = solver_->views();
    context_.advance(1);
    const bool empty = std::all_of(out.views.begin(), out.views.end(),
                                   [](const MeklView& v) { return v.basis.empty(); });
    if (!empty) {
      validate();
      for (std::size_t m = 0; m < task_.machines.size(); ++m) finish(m, out);
    }
    for (MeklView& v : out.views) tidy(v);
    out.machines = task_.machines;
    return out;
  }

 private:
  VectorXd sign(const MeklMachine& m) const {
    VectorXd y(static_cast<index_t>(task_.rows.size()));
    for (index_t i = 0; i < y.size(); ++i) y[i] = code(i) == m.positive ? 1 : -1;
    return y;
  }
  int code(index_t i) const { return data_.code[static_cast<std::size_t>(row(i))]; }
  index_t row(index_t i) const { return task_.rows[static_cast<std::size_t>(i)]; }
  MeklGrid& grid(std::size_t m) { return task_.machines[m].grid; }
  int fold(index_t i) const { return options_.fold[static_cast<std::size_t>(row(i))]; }

  // Without the rows of a fold; -1 leaves all in.
  VectorXd weights(int without) const {
    VectorXd w(static_cast<index_t>(task_.rows.size()));
    for (index_t i = 0; i < w.size(); ++i)
      w[i] = folds_ > 0 && fold(i) == without ? 0 : weights_[static_cast<std::size_t>(i)];
    return w;
  }

  // Of the labels: the squared error of their mean.
  double variance(const MeklMachine& m) const {
    const VectorXd w = weights(-1);
    const double mean = sign(m).dot(w) / w.sum();
    return 1 - mean * mean;
  }

  // The pairs of all machines' grids on all folds, until no grid grows.
  void validate() {
    std::vector<std::size_t> open;
    for (std::size_t m = 0; m < task_.machines.size(); ++m) {
      open.push_back(m);
      grid(m).set_poor(kPoor * variance(task_.machines[m]));
    }
    held_out_.resize(open.size());
    solver_->set_threads(1);
    while (folds_ > 0 && !open.empty()) {
      FoldModels models = held_out_models(open);
      for (std::size_t k = 0; k < open.size(); ++k) choose(open[k], models[k]);
      open.erase(std::remove_if(open.begin(), open.end(),
                                [&](std::size_t m) { return grid(m).waiting().empty(); }),
                 open.end());
    }
    solver_->set_threads(threads_);
  }

  // At the pairs that wait.
  FoldModels held_out_models(const std::vector<std::size_t>& machines) {
    FoldModels out(machines.size());
    for (auto& models : out) models.resize(static_cast<std::size_t>(folds_));
    parallel_for(static_cast<index_t>(machines.size()) * folds_, threads_, context_,
                 [&](index_t item, int) {
                   const std::size_t k = static_cast<std::size_t>(item / folds_);
                   const int f = static_cast<int>(item % folds_);
                   const std::size_t m = machines[k];
                   out[k][static_cast<std::size_t>(f)] = solver_->solve(
                       sign(task_.machines[m]), weights(f), grid(m).waiting(), grid(m).is_search());
                   if (held_out_[m].empty()) context_.advance(1);
                 });
    return out;
  }

  // Records the losses of a machine's pairs and keeps the models of the best one. Errors alone are
  // too coarse to tell pairs apart. Values beyond the labels count as these, so that a few rows far
  // out do not decide. Penalties that make a machine overflow are the worst.
  void choose(std::size_t m, std::vector<std::vector<MeklModel>>& models) {
    const std::vector<MeklPair> pairs = grid(m).waiting();
    std::vector<MeklTrial> trials;
    for (std::size_t p = 0; p < pairs.size(); ++p) trials.push_back(trial(m, pairs[p], p, models));
    grid(m).record(trials);
    const MeklPair best = grid(m).chosen();
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (pairs[p].first != best.first || pairs[p].second != best.second) continue;
      held_out_[m].clear();
      for (auto& of_fold : models) held_out_[m].push_back(std::move(of_fold[p]));
    }
  }

  MeklTrial trial(std::size_t m, MeklPair pair, std::size_t p,
                  const std::vector<std::vector<MeklModel>>& models) const {
    const VectorXd y = sign(task_.machines[m]), w = weights(-1);
    double wrong = 0, loss = 0;
    bool is_finite = true;
    for (index_t i = 0; i < y.size(); ++i) {
      const double f = models[static_cast<std::size_t>(fold(i))][p].decision[i];
      const double slack = 1 - y[i] * Clip{-1, 1}(f);
      is_finite = is_finite && std::isfinite(f);
      wrong += (f > 0) == (y[i] > 0) ? 0 : w[i];
      loss += w[i] * slack * slack;
    }
    if (!is_finite || !std::isfinite(loss))
      return {pair, 1, std::numeric_limits<double>::infinity()};
    return {pair, wrong / w.sum(), loss / w.sum()};
  }

  void finish(std::size_t m, MeklGroup& out) {
    MeklMachine& machine = task_.machines[m];
    MeklModel last = solver_->solve(sign(machine), weights(-1), {machine.grid.chosen()}, false)[0];
    context_.advance(1);
    machine.objective = last.objective;
    machine.converged = last.converged;
    add_columns(last, machine, out);
    for (const MeklModel& model : held_out_[m]) add_columns(model, machine, out);
  }

  void add_columns(const MeklModel& model, MeklMachine& machine, MeklGroup& out) const {
    machine.intercept.push_back(model.intercept);
    for (std::size_t v = 0; v < out.views.size(); ++v)
      out.views[v].coef.insert(out.views[v].coef.end(), model.coef[v].data(),
                               model.coef[v].data() + model.coef[v].size());
  }

  // Basis rows that no model uses are left out; the others become rows of the data.
  void tidy(MeklView& view) const {
    const std::size_t rows = view.basis.size(), columns = rows ? view.coef.size() / rows : 0;
    std::vector<double> coef;
    Rows used;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t c = 0; c < columns; ++c)
        if (view.coef[c * rows + i] != 0) {
          used.push_back(static_cast<index_t>(i));
          break;
        }
    for (std::size_t c = 0; c < columns; ++c)
      for (index_t i : used) coef.push_back(view.coef[c * rows + static_cast<std::size_t>(i)]);
    view.coef = std::move(coef);
    Rows kept;
    for (index_t i : used) kept.push_back(row(view.basis[static_cast<std::size_t>(i)]));
    view.basis = std::move(kept);
  }

  const MeklData& data_;
  const MeklOptions& options_;
  Task task_;
  int threads_;
  Context& context_;
  std::unique_ptr<MeklSolver> solver_;
  int folds_;
  std::vector<double> weights_;                   // of the group's rows, with mean 1
  std::vector<std::vector<MeklModel>> held_out_;  // by machine and fold, at the best pair
};

}  // namespace

std::vector<MeklGroup> fit_mekl(const MeklData& data, const MeklOptions& options,
                                const Micro& micro, Context& context) {
  const std::vector<Task> tasks = make_tasks(data, options);
  const index_t count = static_cast<index_t>(tasks.size());
  const int inside = count > 1 ? 1 : context.threads;
  std::vector<MeklGroup> out(tasks.size());
  context.start_phase(options.label, steps(tasks, options.fold));
  parallel_for(count, count > 1 ? context.threads : 1, context, [&](index_t t, int) {
    const std::size_t at = static_cast<std::size_t>(t);
    out[at] = GroupFit(data, options, tasks[at], micro, inside, context).run();
  });
  return out;
}

}  // namespace flexkern
