#include "screen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "direct.h"

namespace flexkern {
namespace {

constexpr index_t kMixtures = 4;

// Random signed sums of the responses, scaled so that their mean squared error estimates that of a
// response.
std::vector<double> mixtures(ConstMatrixRef responses, Rng rng) {
  const index_t n = responses.rows();
  const double scale = 1 / std::sqrt(static_cast<double>(responses.cols()));
  std::vector<double> out(static_cast<std::size_t>(n * kMixtures), 0.0);
  for (index_t m = 0; m < kMixtures; ++m)
    for (index_t c = 0; c < responses.cols(); ++c) {
      const double sign = rng.below(2) ? scale : -scale;
      for (index_t i = 0; i < n; ++i)
        out[static_cast<std::size_t>(m * n + i)] += sign * responses(i, c);
    }
  return out;
}

FoldPlan first_fold(const FoldPlan& plan) {
  FoldPlan first(plan.n, plan.stride, plan.weights);
  const Fold& fold = plan.folds[0];
  std::vector<char> held_out(static_cast<std::size_t>(plan.n), 0);
  for (index_t i : fold.held_out) held_out[static_cast<std::size_t>(i)] = 1;
  first.add([&](index_t i) { return fold.mask[i] > 0; },
            [&](index_t i) { return held_out[static_cast<std::size_t>(i)] != 0; });
  return first;
}

class Descent {
 public:
  Descent(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram, const Micro& micro,
          int threads, const SearchOptions& options, Context& context, Surface& surface)
      : plan_(plan),
        responses_(responses),
        gram_(gram),
        micro_(micro),
        threads_(threads),
        options_(options),
        context_(context),
        surface_(surface) {}

  void run(std::size_t g, std::size_t l) {
    evaluate(g, l);
    for (bool moved = true; moved;) {
      moved = false;
      const std::size_t g0 = g, l0 = l;
      for (int side = 0; side < 8; ++side) {
        const std::size_t to_g = g0 + kSteps[side][0], to_l = l0 + kSteps[side][1];
        if (to_g >= surface_.gammas.size() || to_l >= surface_.lambdas.size()) continue;
        if (!promising(to_g, to_l)) continue;
        if (evaluate(to_g, to_l) < risk(g, l)) {
          g = to_g;
          l = to_l;
          moved = true;
        }
      }
    }
  }

  void screen(const Surface& screened) { screened_ = &screened; }

 private:
  // The screen is trusted that far: a pair well above the best of it is not looked at.
  static constexpr double kTrust = 1.15;
  static constexpr std::size_t kBack = static_cast<std::size_t>(-1);
  static constexpr std::size_t kSteps[8][2] = {{0, 1},     {0, kBack}, {1, 0}, {kBack, 0},
                                               {1, kBack}, {kBack, 1}, {1, 1}, {kBack, kBack}};

  bool promising(std::size_t g, std::size_t l) const {
    const double least = best_choice(*screened_).risk;
    return screened_->risk[screened_->at(g, l)] <= kTrust * least;
  }
  double risk(std::size_t g, std::size_t l) const { return surface_.risk[surface_.at(g, l)]; }

  double evaluate(std::size_t g, std::size_t l) {
    const std::size_t at = surface_.at(g, l);
    if (surface_.settled[at]) return surface_.risk[at];
    if (g != current_) gram_.set_gamma(surface_.gammas[g]);
    current_ = g;
    const double value = direct_risk(plan_, responses_, surface_.lambdas[l], options_.clip, gram_,
                                     micro_, threads_, context_);
    surface_.risk[at] = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
    surface_.settled[at] = 1;
    return surface_.risk[at];
  }

  const FoldPlan& plan_;
  ConstMatrixRef responses_;
  GramMatrix& gram_;
  const Micro& micro_;
  int threads_;
  const SearchOptions& options_;
  Context& context_;
  Surface& surface_;
  const Surface* screened_ = nullptr;
  std::size_t current_ = static_cast<std::size_t>(-1);
};

std::size_t position(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::find(values.begin(), values.end(), value) - values.begin());
}

}  // namespace

void search_screened(const FoldPlan& plan, ConstMatrixRef responses, GramMatrix& gram,
                     const Micro& micro, std::uint64_t item, int threads,
                     const SearchOptions& options, Context& context, Surface& surface) {
  const std::vector<double> mixed =
      mixtures(responses, Rng(context.seed, stream::kProbe + 1 + item));
  const FoldPlan first = first_fold(plan);
  SearchOptions loose = options;
  loose.clip = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  Surface screened(surface.gammas, surface.lambdas);
  search_krylov(first, {mixed.data(), plan.n, kMixtures}, gram, micro, threads, loose, context,
                screened);
  const Choice start = best_choice(screened);
  for (std::size_t i = 0; i < screened.risk.size(); ++i) surface.risk[i] = screened.risk[i];
  surface.steps = screened.steps;
  Descent descent(plan, responses, gram, micro, threads, options, context, surface);
  descent.screen(screened);
  descent.run(position(surface.gammas, start.gamma), position(surface.lambdas, start.lambda));
}

}  // namespace flexkern
