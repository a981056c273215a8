#include "kbp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "kbp_choice.h"
#include "kbp_search.h"

namespace flexkern {
namespace {

using Stop = KbpOptions::Stop;

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

class KbpFitter {
 public:
  KbpFitter(const KbpData& data, const KbpOptions& options, const Micro& micro, Context& context)
      : data_(data), options_(options), micro_(micro), context_(context) {
    for (int f : options.fold) folds_ = std::max(folds_, f + 1);
  }

  // All but the final paths.
  KbpFit validate() {
    KbpFit fit;
    fit.paths.resize(at(data_.y.cols()));
    if (options_.held_out)
      fit.held_out.assign(at(data_.x.rows() * data_.y.cols()),
                          std::numeric_limits<double>::quiet_NaN());
    for (KbpPath& p : fit.paths) p.bound = options_.bounds.empty() ? 0 : options_.bounds[0];
    if (options_.bounds.size() != 1 && options_.stop != Stop::none)
      search(fit);
    else if (options_.held_out)
      hold_out(fit);
    return fit;
  }

  void finish(KbpFit& fit) {
    context_.start_phase("path", static_cast<double>(data_.y.cols()));
    PursuedRows all(data_, options_, -1, context_.memory, context_.threads, micro_, context_);
    const KbpDictionary& dictionary = all.dictionary();
    fit.size = dictionary.size();
    fit.usable = dictionary.usable();
    fit.stored = dictionary.stored();
    if (fit.usable == 0)
      throw Error("all sources of the dictionary are constant; choose other kernels or bandwidths");
    for (index_t c = 0; c < data_.y.cols(); ++c) {
      KbpPath& out = fit.paths[at(c)];
      out.mean = all.mean(c);
      out.path = all.follow(c, stop_at(options_, out.bound, all.size()));
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

 private:
  void search(KbpFit& fit) {
    const double responses = static_cast<double>(data_.y.cols());
    context_.start_phase("cross-validation", responses + 1);
    const FoldRows folds = fold_rows();
    context_.advance(1);
    for (index_t c = 0; c < data_.y.cols(); ++c) {
      BoundSearch search(folds, data_, options_, c, context_);
      search.run(fit.paths[at(c)]);
      for (std::size_t f = 0; f < folds.size() && options_.held_out; ++f)
        keep_held_out(fit, c, *folds[f],
                      options_.path.least_squares_end
                          ? followed(*folds[f], c, fit.paths[at(c)].bound)
                          : search.held_out(f, fit.paths[at(c)].bound));
      context_.advance(1);
    }
  }

  // The rows of all folds' models; the dictionaries are made beside each other.
  FoldRows fold_rows() {
    FoldRows folds(at(folds_));
    const int crew = std::min(context_.threads, folds_);
    parallel_for(folds_, crew, context_, [&](index_t fold, int) {
      folds[at(fold)] = std::make_unique<PursuedRows>(
          data_, options_, static_cast<int>(fold), context_.memory / folds_,
          std::max(1, context_.threads / crew), micro_, context_);
    });
    return folds;
  }

  // The rule at a bound that is known, within each fold.
  void hold_out(KbpFit& fit) {
    context_.start_phase("held-out predictions", folds_);
    const int crew = std::min(context_.threads, folds_);
    parallel_for(folds_, crew, context_, [&](index_t fold, int) {
      PursuedRows rows(data_, options_, static_cast<int>(fold), context_.memory / crew,
                       std::max(1, context_.threads / crew), micro_, context_);
      for (index_t c = 0; c < data_.y.cols(); ++c)
        keep_held_out(fit, c, rows, followed(rows, c, fit.paths[at(c)].bound));
      context_.advance(1);
    });
  }

  std::vector<double> followed(PursuedRows& rows, index_t response, double bound) const {
    return rows.follow(response, stop_at(options_, bound, rows.size())).held_out;
  }

  void keep_held_out(KbpFit& fit, index_t response, const PursuedRows& rows,
                     const std::vector<double>& f) const {
    const double mean = rows.mean(response);
    const std::vector<index_t>& held = rows.plan().held;
    for (std::size_t i = 0; i < held.size(); ++i)
      fit.held_out[at(held[i] + response * data_.x.rows())] = f[i] + mean;
  }

  const KbpData& data_;
  const KbpOptions& options_;
  const Micro& micro_;
  Context& context_;
  int folds_ = 0;
};

// The dictionary of some of the blocks.
KbpData part_of(const KbpData& data, const std::vector<index_t>& blocks) {
  KbpData part{data.x, data.y, data.weights, {}};
  for (index_t b : blocks) part.blocks.push_back(data.blocks[at(b)]);
  return part;
}

double validated_error(const KbpFit& fit) {
  double sum = 0;
  for (const KbpPath& p : fit.paths) sum += *std::min_element(p.risk.begin(), p.risk.end());
  return sum;
}

}  // namespace

KbpFit fit_kbp(const KbpData& data, const KbpOptions& options, const Micro& micro,
               Context& context) {
  KbpData taken = data;
  KbpFit fit = KbpFitter(taken, options, micro, context).validate();
  double least = options.trials.empty() ? 0 : (1 - options.margin) * validated_error(fit);
  for (std::size_t t = 0; t < options.trials.size(); ++t) {
    KbpData part = part_of(data, options.trials[t]);
    KbpFit trial = KbpFitter(part, options, micro, context).validate();
    if (validated_error(trial) >= least) continue;
    least = validated_error(trial);
    fit = std::move(trial);
    fit.trial = static_cast<index_t>(t);
    taken = std::move(part);
  }
  KbpFitter(taken, options, micro, context).finish(fit);
  return fit;
}

}  // namespace flexkern
