#include "ties.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/device/cpu/pairwise.h"

namespace flexkern {
namespace {

constexpr double kResolution = std::numeric_limits<float>::epsilon();

}  // namespace

std::vector<double> kernel_sizes(const Points& x, const Kernel& kernel, const Device& device) {
  std::vector<double> sizes = kernel_diagonal(x, kernel, device.host());
  for (double& size : sizes) size = std::sqrt(std::max(size, 0.0));
  return sizes;
}

double resolution(const double* coef, index_t n, const std::vector<double>& size) {
  double sum = 0;
  for (index_t i = 0; i < n; ++i) {
    const double term = coef[i] * (size.empty() ? 1 : size[static_cast<std::size_t>(i)]);
    sum += term * term;
  }
  return kResolution * std::sqrt(sum);
}

void settle_ties(Labels labels, const std::vector<double>& limit, std::vector<double>& decision) {
  if (labels == Labels::none) return;
  for (std::size_t c = 0; c < decision.size(); ++c)
    if (std::fabs(decision[c]) <= limit[c]) decision[c] = 0;
  if (labels == Labels::sign) return;
  const auto top = std::max_element(decision.begin(), decision.end());
  const double largest = *top, own = limit[static_cast<std::size_t>(top - decision.begin())];
  for (std::size_t c = 0; c < decision.size(); ++c)
    if (largest - decision[c] <= limit[c] + own) decision[c] = largest;
}

}  // namespace flexkern
