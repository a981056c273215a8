#include "kbp_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

// The folds go on until they have taken half as many breakpoints again as up to the best bound, and
// as many more each.
constexpr std::size_t kPatience = 20;

}  // namespace

BoundSearch::BoundSearch(const FoldRows& folds, const KbpData& data, const KbpOptions& options,
                         index_t response, Context& context)
    : folds_(folds), options_(options), context_(context), ways_(folds.size()) {
  const int crew = std::min(context.threads, static_cast<int>(folds.size()));
  parallel_for(static_cast<index_t>(folds.size()), crew, context, [&](index_t f, int) {
    const std::size_t fold = static_cast<std::size_t>(f);
    ways_[fold] = folds[fold]->set_out(response, options.path);
  });
  for (const auto& fold : folds)
    for (index_t i : fold->plan().held) weight_ += data.weights[static_cast<std::size_t>(i)];
}

void BoundSearch::run(KbpPath& out) {
  do {
    advance(std::max<index_t>(10, static_cast<index_t>(taken_ / folds_.size() / 10)));
    evaluate(out);
  } while (!settled(out));
}

void BoundSearch::advance(index_t steps) {
  const int crew = std::min(context_.threads, static_cast<int>(folds_.size()));
  parallel_for(static_cast<index_t>(folds_.size()), crew, context_, [&](index_t fold, int) {
    ways_[static_cast<std::size_t>(fold)]->follower->advance(steps);
  });
  taken_ = 0;
  for (std::size_t f = 0; f < ways_.size(); ++f) taken_ += follower(f).path().points.size();
}

// The error of all folds at every bound that each of them has decided on.
void BoundSearch::evaluate(KbpPath& out) {
  out.grid.clear();
  out.risk.clear();
  all_decided_ = true;
  double best = std::numeric_limits<double>::infinity();
  for (double bound : grid()) {
    double sum = 0;
    std::size_t points = 0;
    bool decided = true;
    for (std::size_t f = 0; f < ways_.size() && decided; ++f) {
      const Place at = place(f, bound);
      decided = at.reached || follower(f).ended();
      sum += error_at(follower(f).path(), at);
      points += at.point;
    }
    all_decided_ = all_decided_ && decided;
    if (!decided) continue;
    out.grid.push_back(bound);
    out.risk.push_back(sum / weight_);
    if (out.risk.back() >= best) continue;
    best = out.risk.back();
    out.bound = bound;
    at_best_ = points;
  }
}

bool BoundSearch::settled(const KbpPath& out) const {
  bool ended = true;
  for (std::size_t f = 0; f < ways_.size(); ++f) ended = ended && follower(f).ended();
  if (ended) return true;
  if (out.risk.empty()) return false;
  if (!options_.bounds.empty()) return all_decided_;
  return taken_ > at_best_ + at_best_ / 2 + kPatience * ways_.size();
}

// Greedy steps may lengthen the coefficients by any factor, so that the steps themselves (of the
// first fold) are the bounds to try; of a hundred or more every second, third and so on.
std::vector<double> BoundSearch::grid() const {
  using Method = PathOptions::Method;
  const Method method = options_.path.method;
  if (options_.stop != KbpOptions::Stop::l1 || !options_.bounds.empty() ||
      method == Method::lasso || method == Method::lar)
    return bound_grid(options_, longest());
  const std::vector<Breakpoint>& points = follower(0).path().points;
  const std::size_t every = 1 + points.size() / 100;
  std::vector<double> out;
  for (std::size_t k = 0; k < points.size(); k += every)
    if (out.empty() || points[k].l1 > out.back()) out.push_back(points[k].l1);
  return out;
}

// sum |beta| that all paths which go on have reached, or the largest of those that ended.
double BoundSearch::longest() const {
  double open = std::numeric_limits<double>::infinity(), ended = 0;
  for (std::size_t f = 0; f < ways_.size(); ++f) {
    const double l1 = follower(f).path().points.back().l1;
    if (follower(f).ended())
      ended = std::max(ended, l1);
    else
      open = std::min(open, l1);
  }
  return std::isfinite(open) ? open : ended;
}

Place BoundSearch::place(std::size_t fold, double bound) const {
  return place_of(follower(fold).path(), options_.stop, bound, folds_[fold]->size());
}

std::vector<double> BoundSearch::held_out(std::size_t fold, double bound) const {
  std::vector<index_t> sources;
  std::vector<double> coef;
  coef_at(follower(fold).path(), place(fold, bound), sources, coef);
  return folds_[fold]->predict_held(sources, coef);
}

}  // namespace flexkern
