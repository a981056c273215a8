// Counter-based random numbers: the stream of work item i is a pure function of (seed, i), so that
// results depend neither on threads nor on the standard library. The bit mixer is the finaliser of
// SplitMix64 (Steele, Lea, Flood 2014) applied to a keyed counter.
#ifndef FLEXKERN_BASE_RNG_H
#define FLEXKERN_BASE_RNG_H

#include <cstdint>
#include <utility>
#include <vector>

#include "view.h"

namespace flexkern {

class Rng {
 public:
  Rng(std::uint64_t seed, std::uint64_t item) : key_(mix(seed + kGolden * (2 * item + 1))) {}

  std::uint64_t bits() { return mix(key_ + kGolden * ++counter_); }
  // Uniform on [0, 1) with 53 bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  // Uniform on {0, ..., n - 1}; draws from the incomplete last block are rejected.
  std::uint64_t below(std::uint64_t n) {
    const std::uint64_t limit = (~std::uint64_t{0} / n) * n;
    std::uint64_t b = bits();
    while (b >= limit) b = bits();
    return b % n;
  }
  template <typename T>
  void shuffle(std::vector<T>& v) {
    for (std::size_t i = v.size(); i > 1; --i) std::swap(v[i - 1], v[below(i)]);
  }

 private:
  static constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

// Purposes of the random streams of one call; an item number within a purpose is added to it.
namespace stream {
constexpr std::uint64_t kPartition = 0;
constexpr std::uint64_t kFolds = std::uint64_t{1} << 32;
constexpr std::uint64_t kProbe = std::uint64_t{2} << 32;
constexpr std::uint64_t kData = std::uint64_t{3} << 32;
constexpr std::uint64_t kSample = std::uint64_t{4} << 32;
constexpr std::uint64_t kBasis = std::uint64_t{5} << 32;
constexpr std::uint64_t kShare = std::uint64_t{6} << 32;
constexpr std::uint64_t kWeights = std::uint64_t{7} << 32;
}  // namespace stream

}  // namespace flexkern

#endif
