#include "folds.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"

namespace flexkern {

namespace {

// Each row's stratum, numbered by where strata first appear among the rows: the numbers given
// follow the order of factor levels, which must not matter.
std::vector<int> by_appearance(const std::vector<int>& strata) {
  std::map<int, int> rank;
  std::vector<int> out;
  for (int s : strata) out.push_back(rank.emplace(s, static_cast<int>(rank.size())).first->second);
  return out;
}

}  // namespace

std::vector<int> fold_assignment(const std::vector<int>& strata, int folds, std::uint64_t seed,
                                 std::uint64_t item) {
  require(folds > 0, "at least one fold is needed");
  const std::vector<int> rank = by_appearance(strata);
  std::vector<int> order(strata.size()), fold(strata.size());
  std::iota(order.begin(), order.end(), 0);
  Rng(seed, stream::kFolds + item).shuffle(order);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank[a] < rank[b]; });
  // Dealing goes on from one stratum to the next: small strata do not all end up in the first
  // folds.
  for (std::size_t i = 0; i < order.size(); ++i)
    fold[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  return fold;
}

std::vector<index_t> stratified_sample(const std::vector<int>& strata,
                                       const std::vector<double>& weights, index_t count,
                                       std::uint64_t seed, std::uint64_t item) {
  const std::vector<int> rank = by_appearance(strata);
  const auto stratum = [&](index_t i) { return rank[static_cast<std::size_t>(i)]; };
  std::vector<index_t> rows, sample;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) rows.push_back(static_cast<index_t>(i));
  const index_t all = static_cast<index_t>(rows.size());
  if (all <= count) return rows;
  Rng(seed, stream::kSample + item).shuffle(rows);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](index_t a, index_t b) { return stratum(a) < stratum(b); });
  for (index_t k = 0; k < count; ++k)  // equally spaced: strata follow each other
    sample.push_back(rows[static_cast<std::size_t>(k * all / count)]);
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace flexkern
