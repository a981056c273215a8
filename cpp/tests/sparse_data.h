// Sparse test data, each beside the dense matrix that it stands for.
#ifndef FLEXKERN_TESTS_SPARSE_DATA_H
#define FLEXKERN_TESTS_SPARSE_DATA_H

#include <utility>
#include <vector>

#include "core/base/points.h"
#include "random_data.h"

namespace flexkern {

// Keeps each value with this probability; the others become 0.
inline Data thinned(Data x, double share, std::uint64_t seed) {
  Rng rng(seed, stream::kData + 1);
  for (double& v : x.values)
    if (rng.uniform() >= share) v = 0;
  return x;
}

// The entries of a dense matrix by rows; with `zeros`, every second zero is an entry too.
struct SparseData {
  std::vector<index_t> start = {0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  index_t cols;

  explicit SparseData(const Data& x, bool zeros = false) : cols(x.cols) {
    for (index_t i = 0; i < x.rows; ++i) {
      for (index_t k = 0; k < x.cols; ++k) {
        if (x(i, k) == 0 && !(zeros && (i + k) % 2 == 0)) continue;
        column.push_back(static_cast<std::int32_t>(k));
        value.push_back(x(i, k));
      }
      start.push_back(static_cast<index_t>(column.size()));
    }
  }
  SparseRef ref() const {
    return {start.data(), column.data(), value.data(), static_cast<index_t>(start.size()) - 1,
            cols};
  }
};

inline Data to_data(const SparseRef& x) {
  Data out(x.rows, x.cols);
  for (index_t i = 0; i < x.rows; ++i) {
    const SparseRow row = x.row(i);
    for (index_t e = 0; e < row.size; ++e) out(i, row.column[e]) = row.value[e];
  }
  return out;
}

}  // namespace flexkern

#endif
