// Random input for the benchmarks.
#ifndef FLEXKERN_BENCH_RANDOM_POINTS_H
#define FLEXKERN_BENCH_RANDOM_POINTS_H

#include "core/base/rng.h"
#include "core/base/view.h"

namespace flexkern {

// Uniform on [0, 1).
template <typename T>
Buffer<T> random_values(index_t size, std::uint64_t seed = 1) {
  Buffer<T> out(size);
  Rng rng(seed, stream::kData);
  for (index_t i = 0; i < size; ++i) out[i] = static_cast<T>(rng.uniform());
  return out;
}

}  // namespace flexkern

#endif
