// The default grid of a cell (Eberts and Steinwart, section 6): ten penalties and ten widths, both
// geometric.
#ifndef FLEXKERN_MODEL_GRID_H
#define FLEXKERN_MODEL_GRID_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/points.h"
#include "core/kernel/kernel.h"

namespace flexkern {

constexpr index_t kGridSize = 10;

// `count` values from `first` to `last`, equally spaced in the logarithm.
inline std::vector<double> geometric(double first, double last, index_t count) {
  std::vector<double> values;
  for (index_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0;
    values.push_back(first * std::pow(last / first, share));
  }
  return values;
}

// lambda from 0.1 down to 0.001 / n.
inline std::vector<double> default_lambdas(index_t n) {
  return geometric(0.1, 0.001 / static_cast<double>(n), kGridSize);
}

// Columns of x that are not constant.
index_t varying_columns(const Points& x);

// Radial kernel: widths from 10 down to 0.5 n^(-1/d), as gamma = width^-2. Other kernels: the one
// value 1/d, as in e1071.
inline std::vector<double> default_gammas(const Kernel& kernel, index_t n, index_t d) {
  const double dimension = static_cast<double>(std::max<index_t>(d, 1));
  if (!kernel.uses_distance()) return {1 / dimension};
  const double narrowest = 0.5 * std::pow(static_cast<double>(n), -1 / dimension);
  std::vector<double> gammas;
  for (double width : geometric(10, narrowest, kGridSize)) gammas.push_back(1 / (width * width));
  return gammas;
}

// The second pass: values between the neighbours of the winner on its grid, the grid's own left
// out.
inline std::vector<double> between_neighbours(std::vector<double> grid, double winner,
                                              index_t per_side) {
  std::sort(grid.begin(), grid.end());
  const auto at = std::find(grid.begin(), grid.end(), winner);
  std::vector<double> values;
  const auto add = [&](double from, double to) {
    for (index_t i = 1; i <= per_side; ++i)
      values.push_back(
          from * std::pow(to / from, static_cast<double>(i) / static_cast<double>(per_side + 1)));
  };
  if (at != grid.begin()) add(*(at - 1), winner);
  if (at + 1 != grid.end()) add(winner, *(at + 1));
  return values;
}

}  // namespace flexkern

#endif
