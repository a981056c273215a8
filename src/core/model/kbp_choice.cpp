#include "kbp_choice.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

using Stop = KbpOptions::Stop;

// sum |beta| is linear between the breakpoints of the lasso.
Place place_of_l1(const Path& path, double bound) {
  for (std::size_t k = 1; k < path.points.size(); ++k) {
    const double from = path.points[k - 1].l1, to = path.points[k].l1;
    if (to >= bound) return {k, to > from ? (bound - from) / (to - from) : 1, true};
  }
  return {path.points.size() - 1, 1, false};
}

// The last breakpoint before the bound is crossed for the first time.
Place place_of_count(const Path& path, double count) {
  for (std::size_t k = 1; k < path.points.size(); ++k)
    if (static_cast<double>(path.points[k].active) > count) return {k - 1, 1, true};
  return {path.points.size() - 1, 1, false};
}

Place place_of_fall(const Path& path, double bound) {
  for (std::size_t k = kLossWindow; k < path.points.size(); ++k)
    if (path.points[k - kLossWindow].loss - path.points[k].loss < bound * path.points[0].loss)
      return {k, 1, true};
  return {path.points.size() - 1, 1, false};
}

}  // namespace

Place place_of(const Path& path, Stop stop, double bound, index_t rows) {
  if (stop == Stop::l1) return place_of_l1(path, bound);
  if (stop == Stop::nu) return place_of_count(path, bound * static_cast<double>(rows));
  return place_of_fall(path, bound);
}

// The error is a parabola between two breakpoints.
double error_at(const Path& path, const Place& place) {
  const auto& held = path.points[place.point].held;
  return held[0] + place.share * (held[1] + place.share * held[2]);
}

void coef_at(const Path& path, const Place& place, std::vector<index_t>& sources,
             std::vector<double>& coef) {
  sources.clear();
  coef.clear();
  const auto add = [&](std::size_t point, double share) {
    for (index_t i = path.offset[point]; i < path.offset[point + 1]; ++i) {
      sources.push_back(path.source[static_cast<std::size_t>(i)]);
      coef.push_back(share * path.coef[static_cast<std::size_t>(i)]);
    }
  };
  if (place.share < 1) add(place.point - 1, 1 - place.share);
  add(place.point, place.share);
}

std::vector<double> bound_grid(const KbpOptions& options, double longest) {
  if (!options.bounds.empty()) return options.bounds;
  constexpr int kValues = 100;
  std::vector<double> grid;
  for (int i = 0; i < kValues; ++i) {
    const double t = i / (kValues - 1.0);
    if (options.stop == Stop::l1) grid.push_back(longest * t * t);
    if (options.stop == Stop::nu) grid.push_back(0.01 + 0.99 * t);
    if (options.stop == Stop::loss) grid.push_back(std::pow(10.0, -8 * t));
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
