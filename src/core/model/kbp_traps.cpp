#include "kbp_traps.h"

#include <cmath>

#include "core/base/rng.h"

namespace flexkern {
namespace {

// A stream of its own, behind those of rng.h.
constexpr std::uint64_t kTraps = std::uint64_t{16} << 32;
constexpr double kTwoPi = 6.283185307179586;

// Box and Muller's transform of two uniform numbers.
double normal(Rng& rng) {
  const double radius = std::sqrt(-2 * std::log(1 - rng.uniform()));
  return radius * std::cos(kTwoPi * rng.uniform());
}

}  // namespace

std::vector<double> random_traps(index_t n, index_t count, bool uniform, std::uint64_t seed) {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(n * count));
  for (index_t k = 0; k < count; ++k) {
    Rng rng(seed, kTraps + static_cast<std::uint64_t>(k));
    for (index_t i = 0; i < n; ++i) out.push_back(uniform ? rng.uniform() : normal(rng));
  }
  return out;
}

}  // namespace flexkern
