#include "path.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

double l1_norm(const std::vector<double>& beta) {
  double sum = 0;
  for (double b : beta) sum += std::abs(b);
  return sum;
}

double mean_square(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}

}  // namespace

double whiteness(const std::vector<double>& residual, const std::vector<index_t>& order,
                 index_t lags) {
  const index_t n = static_cast<index_t>(order.size());
  std::vector<double> r(order.size());
  for (index_t i = 0; i < n; ++i) r[at(i)] = residual[at(order[at(i)])];
  double variance = 0, sum = 0;
  for (double x : r) variance += x * x;
  if (variance == 0) return 0;
  for (index_t k = 1; k <= std::min(lags, n - 1); ++k) {
    double product = 0;
    for (index_t i = k; i < n; ++i) product += r[at(i)] * r[at(i - k)];
    sum += (product / variance) * (product / variance) / static_cast<double>(n - k);
  }
  return static_cast<double>(n) * static_cast<double>(n + 2) * sum;
}

PathRecorder::PathRecorder(const Sources& sources, const std::vector<double>& response,
                           const PathOptions& options, const HeldOut* held)
    : sources_(sources), response_(response), options_(options), held_(held) {
  if (!held_) return;
  prediction_.assign(held_->response.size(), 0.0);
  held_column_.resize(at(sources.size()));
}

bool PathRecorder::record(const ActiveSet& active, const std::vector<double>& beta,
                          Breakpoint event, const std::vector<double>& residual) {
  std::vector<double> here = beta;
  const bool crossed = crosses(active, here);
  event.l1 = l1_norm(here);
  event.active = static_cast<index_t>(
      std::count_if(here.begin(), here.end(), [](double b) { return b != 0; }));
  event.loss = mean_square(residual);
  if (crossed) {
    std::vector<double> fit(response_.size());
    active.combine(here, fit.data());
    for (std::size_t i = 0; i < fit.size(); ++i) fit[i] = response_[i] - fit[i];
    event.loss = mean_square(fit);
    event.entered = event.left = -1;
  }
  if (options_.lags > 0) event.white = whiteness(residual, options_.order, options_.lags);
  if (event.active > options_.active && !path_.points.empty()) return true;
  score(active, here, event);
  store(active, here, event);
  return crossed || ended(event);
}

void PathRecorder::store_end(const ActiveSet& active, const std::vector<double>& beta,
                             Breakpoint event, const std::vector<double>& residual) {
  event.l1 = l1_norm(beta);
  event.active = active.size();
  event.loss = mean_square(residual);
  score(active, beta, event);
  store(active, beta, event);
}

// sum |beta| is convex along a segment, so the bound is crossed once.
bool PathRecorder::crosses(const ActiveSet& active, std::vector<double>& beta) const {
  if (!(l1_norm(beta) > options_.l1)) return false;
  std::vector<double> start(beta.size()), end = beta;
  for (std::size_t k = 0; k < beta.size(); ++k)
    start[k] = previous(active.source(static_cast<index_t>(k)));
  double low = 0, high = 1;
  for (int i = 0; i < 100 && high - low > 1e-16; ++i) {
    const double middle = (low + high) / 2;
    for (std::size_t k = 0; k < beta.size(); ++k) beta[k] = start[k] + middle * (end[k] - start[k]);
    (l1_norm(beta) > options_.l1 ? high : low) = middle;
  }
  return true;
}

double PathRecorder::previous(index_t source) const {
  if (path_.points.empty()) return 0;
  const auto begin = path_.source.begin() + path_.offset[path_.points.size() - 1];
  const auto found = std::find(begin, path_.source.end(), source);
  return found == path_.source.end() ? 0 : path_.coef[at(found - path_.source.begin())];
}

void PathRecorder::score(const ActiveSet& active, const std::vector<double>& beta,
                         Breakpoint& point) {
  if (!held_) return;
  const index_t n = sources_.held_rows();
  std::vector<double> now(at(n), 0.0);
  Eigen::Map<Eigen::VectorXd> sum(now.data(), n);
  for (index_t k = 0; k < active.size(); ++k) {
    std::vector<double>& column = held_column_[at(active.source(k))];
    if (column.empty()) {
      column.resize(at(n));
      sources_.held_column(active.source(k), column.data());
    }
    sum += beta[at(k)] * Eigen::Map<const Eigen::VectorXd>(column.data(), n);
  }
  for (index_t i = 0; i < n; ++i) {
    const double error = held_->response[at(i)] - prediction_[at(i)],
                 move = now[at(i)] - prediction_[at(i)], w = held_->weight[at(i)];
    point.held[0] += w * error * error;
    point.held[1] -= 2 * w * error * move;
    point.held[2] += w * move * move;
  }
  prediction_ = now;
}

void PathRecorder::store(const ActiveSet& active, const std::vector<double>& beta,
                         const Breakpoint& point) {
  for (index_t k = 0; k < active.size(); ++k) {
    if (beta[at(k)] == 0) continue;
    path_.source.push_back(active.source(k));
    path_.coef.push_back(beta[at(k)]);
  }
  path_.offset.push_back(static_cast<index_t>(path_.source.size()));
  path_.points.push_back(point);
}

bool PathRecorder::ended(const Breakpoint& point) {
  const std::size_t step = path_.points.size() - 1;
  if (point.l1 >= options_.l1) return true;
  if (options_.traps >= 0 && point.traps > options_.traps) return true;
  if (options_.lags > 0 && point.white <= options_.white) return true;
  if (options_.loss >= 0 && step >= kLossWindow) {
    const double fall = path_.points[step - kLossWindow].loss - point.loss;
    if (fall < options_.loss * path_.points[0].loss) return true;
  }
  return false;
}

Path PathRecorder::finish(Path::End end) {
  path_.end = end;
  path_.held_out = prediction_;
  return std::move(path_);
}

}  // namespace flexkern
