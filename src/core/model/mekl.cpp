#include "mekl.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/solver/fold_plan.h"
#include "mekl_solver.h"

namespace flexkern {
namespace {

using Eigen::VectorXd;
using Rows = std::vector<index_t>;

struct Task {
  Rows rows;
  std::vector<MeklMachine> machines;
};

Rows rows_of(const std::vector<int>& code, int first, int second) {
  Rows rows;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (code[i] == first || code[i] == second || second < 0)
      rows.push_back(static_cast<index_t>(i));
  return rows;
}

MeklMachine machine(int positive, int negative) {
  MeklMachine out;
  out.positive = positive;
  out.negative = negative;
  return out;
}

std::vector<Task> make_tasks(const MeklData& data, bool one_versus_rest) {
  std::vector<Task> tasks;
  if (one_versus_rest && data.classes > 2) {
    tasks.push_back({rows_of(data.code, -1, -1), {}});
    for (int k = 0; k < data.classes; ++k) tasks[0].machines.push_back(machine(k, -1));
    return tasks;
  }
  for (int p = 0; p < data.classes; ++p)
    for (int q = p + 1; q < data.classes; ++q)
      tasks.push_back({rows_of(data.code, p, q), {machine(q, p)}});
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
  GroupFit(const MeklData& data, const MeklOptions& options, Task task, std::uint64_t item,
           const Micro& micro, int threads, Context& context)
      : data_(data),
        options_(options),
        task_(std::move(task)),
        threads_(threads),
        context_(context),
        solver_(make_mekl_solver(data, options, task_.rows, item, micro, threads, context)),
        folds_(number_of_folds(options.fold)) {}

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
  int fold(index_t i) const { return options_.fold[static_cast<std::size_t>(row(i))]; }

  // Without the rows of a fold; -1 leaves all in.
  VectorXd weights(int without) const {
    VectorXd w(static_cast<index_t>(task_.rows.size()));
    for (index_t i = 0; i < w.size(); ++i)
      w[i] = folds_ > 0 && fold(i) == without ? 0 : data_.weights[static_cast<std::size_t>(row(i))];
    return w;
  }

  // All pairs on all folds, of all machines.
  void validate() {
    const index_t machines = static_cast<index_t>(task_.machines.size());
    held_out_.resize(static_cast<std::size_t>(machines * folds_));
    solver_->set_threads(1);
    parallel_for(machines * folds_, threads_, context_, [&](index_t item, int) {
      const std::size_t m = static_cast<std::size_t>(item / folds_);
      held_out_[static_cast<std::size_t>(item)] =
          solver_->solve(sign(task_.machines[m]), weights(static_cast<int>(item % folds_)),
                         options_.pairs, options_.pairs.size() > 1);
      context_.advance(1);
    });
    solver_->set_threads(threads_);
    for (std::size_t m = 0; folds_ > 0 && m < task_.machines.size(); ++m) choose(m);
  }

  // The pair of the least loss on held-out rows, and of the fewest errors among these: errors alone
  // are too coarse to tell pairs apart. Values beyond the labels count as these, so that a few rows
  // far out do not decide. Penalties that make a machine overflow are the worst.
  void choose(std::size_t m) {
    MeklMachine& machine = task_.machines[m];
    const VectorXd y = sign(machine), w = weights(-1);
    for (std::size_t p = 0; p < options_.pairs.size(); ++p) {
      double wrong = 0, loss = 0;
      bool is_finite = true;
      for (index_t i = 0; i < y.size(); ++i) {
        const auto& models =
            held_out_[m * static_cast<std::size_t>(folds_) + static_cast<std::size_t>(fold(i))];
        const double f = models[p].decision[i];
        const double slack = 1 - y[i] * Clip{-1, 1}(f);
        is_finite = is_finite && std::isfinite(f);
        wrong += (f > 0) == (y[i] > 0) ? 0 : w[i];
        loss += w[i] * slack * slack;
      }
      is_finite = is_finite && std::isfinite(loss);
      machine.error.push_back(is_finite ? wrong / w.sum() : 1);
      machine.loss.push_back(is_finite ? loss / w.sum() : std::numeric_limits<double>::infinity());
      const std::size_t best = machine.chosen;
      if (machine.loss[p] < machine.loss[best] ||
          (machine.loss[p] == machine.loss[best] && machine.error[p] < machine.error[best]))
        machine.chosen = p;
    }
  }

  void finish(std::size_t m, MeklGroup& out) {
    MeklMachine& machine = task_.machines[m];
    MeklModel last =
        solver_->solve(sign(machine), weights(-1), {options_.pairs[machine.chosen]}, false)[0];
    context_.advance(1);
    machine.objective = last.objective;
    machine.converged = last.converged;
    add_columns(last, machine, out);
    for (int f = 0; f < folds_; ++f)
      add_columns(held_out_[m * static_cast<std::size_t>(folds_) + static_cast<std::size_t>(f)]
                           [machine.chosen],
                  machine, out);
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
  std::vector<std::vector<MeklModel>> held_out_;  // by machine and fold
};

}  // namespace

std::vector<MeklGroup> fit_mekl(const MeklData& data, const MeklOptions& options,
                                const Micro& micro, Context& context) {
  const std::vector<Task> tasks = make_tasks(data, options.one_versus_rest);
  const index_t count = static_cast<index_t>(tasks.size());
  const int inside = count > 1 ? 1 : context.threads;
  std::vector<MeklGroup> out(tasks.size());
  context.start_phase(options.label, steps(tasks, options.fold));
  parallel_for(count, count > 1 ? context.threads : 1, context, [&](index_t t, int) {
    const std::size_t at = static_cast<std::size_t>(t);
    out[at] =
        GroupFit(data, options, tasks[at], static_cast<std::uint64_t>(t), micro, inside, context)
            .run();
  });
  return out;
}

}  // namespace flexkern
