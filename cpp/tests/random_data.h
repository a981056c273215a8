// Random column-major matrices for the tests.
#ifndef FLEXKERN_TESTS_RANDOM_DATA_H
#define FLEXKERN_TESTS_RANDOM_DATA_H

#include <vector>

#include "core/base/rng.h"
#include "core/base/view.h"

namespace flexkern {

struct Data {
  index_t rows, cols;
  std::vector<double> values;
  Data(index_t n, index_t d) : rows(n), cols(d), values(n * d, 0.0) {}
  double& operator()(index_t i, index_t j) { return values[i + j * rows]; }
  double operator()(index_t i, index_t j) const { return values[i + j * rows]; }
  ConstMatrixRef view() const { return {values.data(), rows, cols}; }
};

// Uniform on [-1, 1].
inline Data uniform_data(index_t n, index_t d, std::uint64_t seed) {
  Data x(n, d);
  Rng rng(seed, stream::kData);
  for (double& v : x.values) v = 2 * rng.uniform() - 1;
  return x;
}

// Whole numbers -levels .. levels: full of duplicates and of ties between distances.
inline Data grid_data(index_t n, index_t d, int levels, std::uint64_t seed) {
  Data x(n, d);
  Rng rng(seed, stream::kData);
  for (double& v : x.values) v = static_cast<double>(rng.below(2 * levels + 1)) - levels;
  return x;
}

}  // namespace flexkern

#endif
