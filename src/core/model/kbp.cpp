#include "kbp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/parallel.h"
#include "core/solver/lars.h"
#include "kbp_choice.h"

namespace flexkern {
namespace {

using Stop = KbpOptions::Stop;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

// A set of rows with its dictionary, ready to follow the path of any response.
class Pursued {
 public:
  Pursued(const KbpData& data, const KbpOptions& options, int left_out, double memory, int threads,
          const Micro& micro, Context& context)
      : data_(data),
        options_(options),
        context_(context),
        plan_(make_plan(data, options.fold, left_out)),
        dictionary_(data.x, data.blocks, plan_, memory, threads, micro, context),
        cache_(dictionary_, 0.3 * memory) {}

  Path follow(index_t response, PathOptions path) {
    const double mean = this->mean(response);
    std::vector<double> y;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i)
      y.push_back(std::sqrt(plan_.weight[i]) * (data_.y(plan_.rows[i], response) - mean));
    HeldOut held;
    for (index_t i : plan_.held) {
      held.response.push_back(data_.y(i, response) - mean);
      held.weight.push_back(data_.weights[at(i)]);
    }
    path.order = time_order();
    path.lags = options_.stop == Stop::whiteness ? options_.lags : 0;
    return follow_path(cache_, y, path, plan_.held.empty() ? nullptr : &held, context_);
  }
  // Exact where the response is constant, whose path is then empty.
  double mean(index_t response) const {
    if (!options_.center) return 0;
    const double first = data_.y(plan_.rows[0], response);
    double sum = 0;
    for (std::size_t i = 0; i < plan_.rows.size(); ++i)
      sum += plan_.weight[i] * (data_.y(plan_.rows[i], response) - first);
    return first + sum / static_cast<double>(plan_.rows.size());
  }
  const RowPlan& plan() const { return plan_; }
  const KbpDictionary& dictionary() const { return dictionary_; }

 private:
  static RowPlan make_plan(const KbpData& data, const std::vector<int>& fold, int left_out) {
    RowPlan plan;
    double sum = 0;
    for (index_t i = 0; i < data.x.rows(); ++i) {
      if (data.weights[at(i)] <= 0) continue;
      if (left_out >= 0 && fold[at(i)] == left_out) {
        plan.held.push_back(i);
        continue;
      }
      plan.rows.push_back(i);
      plan.weight.push_back(data.weights[at(i)]);
      sum += data.weights[at(i)];
    }
    for (double& w : plan.weight) w *= static_cast<double>(plan.rows.size()) / sum;
    return plan;
  }
  std::vector<index_t> time_order() const {
    std::vector<index_t> order(plan_.rows.size());
    std::iota(order.begin(), order.end(), 0);
    if (!options_.order.empty())
      std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
        return options_.order[at(plan_.rows[at(a)])] < options_.order[at(plan_.rows[at(b)])];
      });
    return order;
  }

  const KbpData& data_;
  const KbpOptions& options_;
  Context& context_;
  RowPlan plan_;
  KbpDictionary dictionary_;
  GramCache cache_;
};

class KbpFitter {
 public:
  KbpFitter(const KbpData& data, const KbpOptions& options, const Micro& micro, Context& context)
      : data_(data), options_(options), micro_(micro), context_(context) {
    for (int f : options.fold) folds_ = std::max(folds_, f + 1);
  }

  KbpFit run() {
    KbpFit fit;
    fit.paths.resize(at(data_.y.cols()));
    const bool searched = options_.bounds.size() != 1 && options_.stop != Stop::none;
    if (searched)
      search(fit);
    else
      for (KbpPath& p : fit.paths) p.bound = options_.bounds.empty() ? 0 : options_.bounds[0];
    final_paths(fit);
    if (options_.held_out) hold_out(fit);
    return fit;
  }

 private:
  // Calls f(fold, its rows), folds beside each other.
  template <typename F>
  void for_folds(F f) {
    const int crew = std::min(context_.threads, folds_);
    parallel_for(folds_, crew, context_, [&](index_t fold, int) {
      Pursued rows(data_, options_, static_cast<int>(fold), context_.memory / crew,
                   std::max(1, context_.threads / crew), micro_, context_);
      f(fold, rows);
      context_.advance(1);
    });
  }

  void search(KbpFit& fit) {
    const index_t responses = data_.y.cols();
    std::vector<std::vector<Path>> paths(at(responses));
    for (auto& p : paths) p.resize(static_cast<std::size_t>(folds_));
    std::vector<double> rows(static_cast<std::size_t>(folds_));
    std::vector<double> held(rows.size());
    context_.start_phase("cross-validation", folds_);
    for_folds([&](index_t fold, Pursued& pursued) {
      PathOptions path = options_.path;
      path.patient = options_.bounds.empty();  // bounds that were asked for are all reported
      rows[at(fold)] = static_cast<double>(pursued.plan().rows.size());
      for (index_t i : pursued.plan().held) held[at(fold)] += data_.weights[at(i)];
      for (index_t c = 0; c < responses; ++c) paths[at(c)][at(fold)] = pursued.follow(c, path);
    });
    const double total = std::accumulate(held.begin(), held.end(), 0.0);
    for (index_t c = 0; c < responses; ++c) {
      KbpPath& out = fit.paths[at(c)];
      out.grid = bound_grid(options_, paths[at(c)]);
      for (double bound : out.grid) {
        double sum = 0;
        for (int f = 0; f < folds_; ++f)
          sum += error_at(paths[at(c)][static_cast<std::size_t>(f)], options_.stop, bound,
                          static_cast<index_t>(rows[static_cast<std::size_t>(f)]));
        out.risk.push_back(sum / total);
      }
      out.bound = out.grid[static_cast<std::size_t>(
          std::min_element(out.risk.begin(), out.risk.end()) - out.risk.begin())];
    }
  }

  void final_paths(KbpFit& fit) {
    context_.start_phase("path", static_cast<double>(data_.y.cols()));
    Pursued all(data_, options_, -1, context_.memory, context_.threads, micro_, context_);
    const KbpDictionary& dictionary = all.dictionary();
    fit.size = dictionary.size();
    fit.usable = dictionary.usable();
    fit.stored = dictionary.stored();
    if (fit.usable == 0)
      throw Error("all sources of the dictionary are constant; choose other kernels or bandwidths");
    for (index_t c = 0; c < data_.y.cols(); ++c) {
      KbpPath& out = fit.paths[at(c)];
      out.mean = all.mean(c);
      out.path =
          all.follow(c, stop_at(options_, out.bound, static_cast<index_t>(all.plan().rows.size())));
      fit.ids.insert(fit.ids.end(), out.path.source.begin(), out.path.source.end());
      for (const Breakpoint& p : out.path.points)
        for (index_t j : {p.entered, p.left})
          if (j >= 0) fit.ids.push_back(j);
      context_.advance(1);
    }
    std::sort(fit.ids.begin(), fit.ids.end());
    fit.ids.erase(std::unique(fit.ids.begin(), fit.ids.end()), fit.ids.end());
    for (index_t j : fit.ids)
      fit.sources.push_back(
          {dictionary.block(j), dictionary.place(j), dictionary.mean(j), dictionary.scale(j)});
  }

  // The rule at the bound that was chosen, within each fold.
  void hold_out(KbpFit& fit) {
    const index_t n = data_.x.rows();
    fit.held_out.assign(at(n * data_.y.cols()), std::numeric_limits<double>::quiet_NaN());
    context_.start_phase("held-out predictions", folds_);
    for_folds([&](index_t, Pursued& pursued) {
      const RowPlan& plan = pursued.plan();
      for (index_t c = 0; c < data_.y.cols(); ++c) {
        const PathOptions path =
            stop_at(options_, fit.paths[at(c)].bound, static_cast<index_t>(plan.rows.size()));
        const std::vector<double> f = pursued.follow(c, path).held_out;
        const double mean = pursued.mean(c);
        for (std::size_t i = 0; i < plan.held.size(); ++i)
          fit.held_out[at(plan.held[i] + c * n)] = f[i] + mean;
      }
    });
  }

  const KbpData& data_;
  const KbpOptions& options_;
  const Micro& micro_;
  Context& context_;
  int folds_ = 0;
};

}  // namespace

KbpFit fit_kbp(const KbpData& data, const KbpOptions& options, const Micro& micro,
               Context& context) {
  return KbpFitter(data, options, micro, context).run();
}

}  // namespace flexkern
