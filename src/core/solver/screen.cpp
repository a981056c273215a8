#include "screen.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/rng.h"
#include "descent.h"

namespace flexkern {
namespace {

constexpr index_t kMixtures = 4;

// Responses in the order in which classes first appear among the rows: the order of the columns,
// that of the factor levels, must not matter to the signs drawn for them.
std::vector<index_t> by_first_row(ConstMatrixRef responses) {
  std::vector<index_t> first, order;
  for (index_t c = 0; c < responses.cols(); ++c) {
    const double* y = responses.col(c);
    first.push_back(std::find_if(y, y + responses.rows(), [](double v) { return v > 0; }) - y);
    order.push_back(c);
  }
  std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
    return first[static_cast<std::size_t>(a)] < first[static_cast<std::size_t>(b)];
  });
  return order;
}

// Random signed sums of the responses, scaled so that their mean squared error estimates that of a
// response.
std::vector<double> mixtures(ConstMatrixRef responses, Rng rng) {
  const index_t n = responses.rows();
  const double scale = 1 / std::sqrt(static_cast<double>(responses.cols()));
  const std::vector<index_t> order = by_first_row(responses);
  std::vector<double> out(static_cast<std::size_t>(n * kMixtures), 0.0);
  for (index_t m = 0; m < kMixtures; ++m)
    for (index_t c : order) {
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

// How far above the best pair of the screen a pair may be and yet be looked at.
constexpr double kTrust = 1.15;
// Gammas whose best pair is that close to the best of the screen are looked at.
constexpr double kStart = 1.05;

}  // namespace

Mixtures::Mixtures(const SearchTask& task, std::uint64_t item)
    : task_(task), options_(task.options) {
  if (task.responses.cols() < kManyResponses) return;
  values_ = mixtures(task.responses, Rng(task.context.seed, stream::kProbe + 1 + item));
  const double infinite = std::numeric_limits<double>::infinity();
  options_.clip = {-infinite, infinite};
  const ConstMatrixRef responses(values_.data(), task.plan.n, kMixtures);
  mixed_ = std::make_unique<SearchTask>(SearchTask{task.plan, responses, task.x, task.kernel,
                                                   task.gram, task.device, task.threads, options_,
                                                   task.context, task.report});
}

void search_screened(const SearchTask& task, std::uint64_t item, Surface& surface) {
  const Mixtures mixtures(task, item);
  const SearchTask& mixed = mixtures.task();
  const FoldPlan first = first_fold(task.plan);
  const auto half = [&](double share) {
    if (task.report) task.report(0.5 * share);
  };
  search_krylov({first, mixed.responses, mixed.x, mixed.kernel, mixed.gram, mixed.device,
                 mixed.threads, mixed.options, mixed.context, half},
                surface);
  const double least = best_choice(surface).risk;
  std::fill(surface.settled.begin(), surface.settled.end(), 0);
  descend(task, kStart * least, kTrust * least, surface);
}

}  // namespace flexkern
