#include "kbp_choice.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

using Stop = KbpOptions::Stop;

double end_error(const Breakpoint& p) { return p.held[0] + p.held[1] + p.held[2]; }

// sum |beta| is linear between the breakpoints of the lasso, and so the error is a parabola.
double error_at_l1(const Path& path, double bound) {
  for (std::size_t k = 1; k < path.points.size(); ++k) {
    const Breakpoint &from = path.points[k - 1], &to = path.points[k];
    if (to.l1 < bound) continue;
    const double length = to.l1 - from.l1, t = length > 0 ? (bound - from.l1) / length : 1;
    return to.held[0] + t * (to.held[1] + t * to.held[2]);
  }
  return end_error(path.points.back());
}

// The last breakpoint before the bound is crossed for the first time.
double error_at_count(const Path& path, double count) {
  std::size_t k = 0;
  while (k + 1 < path.points.size() && static_cast<double>(path.points[k + 1].active) <= count) ++k;
  return end_error(path.points[k]);
}

double error_at_fall(const Path& path, double bound) {
  for (std::size_t k = kLossWindow; k < path.points.size(); ++k)
    if (path.points[k - kLossWindow].loss - path.points[k].loss < bound * path.points[0].loss)
      return end_error(path.points[k]);
  return end_error(path.points.back());
}

}  // namespace

double error_at(const Path& path, Stop stop, double bound, index_t rows) {
  if (stop == Stop::l1) return error_at_l1(path, bound);
  if (stop == Stop::nu) return error_at_count(path, bound * static_cast<double>(rows));
  return error_at_fall(path, bound);
}

std::vector<double> bound_grid(const KbpOptions& options, const std::vector<Path>& folds) {
  if (!options.bounds.empty()) return options.bounds;
  constexpr int kValues = 100;
  std::vector<double> grid;
  double longest = 0;
  for (const Path& path : folds) longest = std::max(longest, path.points.back().l1);
  for (int i = 0; i < kValues; ++i) {
    const double t = i / (kValues - 1.0);
    if (options.stop == Stop::l1) grid.push_back(longest * t * t);
    if (options.stop == Stop::nu) grid.push_back(0.01 + 0.69 * t);
    if (options.stop == Stop::loss) grid.push_back(std::pow(10.0, -1 - 5 * t));
  }
  return grid;
}

PathOptions stop_at(const KbpOptions& options, double bound, index_t rows) {
  PathOptions path = options.path;
  if (options.stop == Stop::l1) path.l1 = bound;
  if (options.stop == Stop::nu)
    path.active = static_cast<index_t>(std::floor(bound * static_cast<double>(rows) + 1e-9));
  if (options.stop == Stop::loss) path.loss = bound;
  if (options.stop == Stop::traps) path.traps = static_cast<index_t>(bound);
  if (options.stop == Stop::whiteness) path.white = bound;
  return path;
}

}  // namespace flexkern
