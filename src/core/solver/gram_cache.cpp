#include "gram_cache.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr index_t kRows = 1024;          // rows of a sum that one work item covers
constexpr std::size_t kTerms = 16;       // terms that are added up in single precision
constexpr index_t kSerialWork = 500000;  // multiplications that one thread does sooner than two

}  // namespace

GramCache::GramCache(Sources& sources, double bytes)
    : sources_(sources),
      room_(static_cast<std::size_t>(std::max(
          1.0, bytes / (4.0 * static_cast<double>(std::max<index_t>(sources.size(), 1)))))) {}

bool GramCache::require(index_t source, const std::vector<index_t>& ahead,
                        const std::vector<double>& r, const ActiveSet& active,
                        std::vector<float>& correlations, Context& context) {
  if (columns_.count(source)) return false;
  make_room(active);
  const index_t n = sources_.rows(), size = sources_.size();
  const std::vector<index_t> wanted = missing(source, ahead);
  const index_t cols = static_cast<index_t>(wanted.size()) + 1;
  std::vector<double> in(r);
  in.resize(static_cast<std::size_t>(n * cols));
  for (index_t k = 1; k < cols; ++k)
    sources_.column(wanted[static_cast<std::size_t>(k - 1)], in.data() + k * n);
  Buffer<float> out(cols * size);
  sources_.correlate(in.data(), cols, out.data(), context);
  std::copy_n(out.data(), size, correlations.begin());
  for (index_t k = 1; k < cols && columns_.size() < room_; ++k) {
    Buffer<float> gram(size);
    std::copy_n(out.data() + k * size, size, gram.data());
    columns_.emplace(wanted[static_cast<std::size_t>(k - 1)], std::move(gram));
  }
  return true;
}

// The source, and those ahead that are not here, while room is ample.
std::vector<index_t> GramCache::missing(index_t source, const std::vector<index_t>& ahead) const {
  std::vector<index_t> out{source};
  if (columns_.size() + kAhead > room_ / 2) return out;
  for (index_t j : ahead)
    if (j != source && !columns_.count(j)) out.push_back(j);
  return out;
}

void GramCache::make_room(const ActiveSet& active) {
  if (columns_.size() < room_) return;
  std::unordered_map<index_t, Buffer<float>> kept;
  for (index_t k = 0; k < active.size(); ++k) {
    const auto found = columns_.find(active.source(k));
    if (found != columns_.end()) kept.emplace(found->first, std::move(found->second));
  }
  columns_.swap(kept);
}

bool GramCache::combine(const ActiveSet& active, const std::vector<double>& w,
                        std::vector<float>& out, Context& context) const {
  std::vector<const float*> columns;
  for (index_t k = 0; k < active.size(); ++k) {
    const auto found = columns_.find(active.source(k));
    if (found == columns_.end()) return false;
    columns.push_back(found->second.data());
  }
  const index_t size = sources_.size(), items = (size + kRows - 1) / kRows;
  const int crew = size * active.size() < kSerialWork ? 1 : sources_.threads();
  parallel_for(items, crew, context, [&](index_t item, int) {
    const index_t begin = item * kRows, rows = std::min(kRows, size - begin);
    float part[kRows];
    double sum[kRows];
    std::fill_n(sum, rows, 0.0);
    for (std::size_t first = 0; first < columns.size(); first += kTerms) {
      std::fill_n(part, rows, 0.0f);
      for (std::size_t k = first; k < std::min(first + kTerms, columns.size()); ++k)
        sources_.micro().axpy(rows, static_cast<float>(w[k]), columns[k] + begin, part);
      for (index_t i = 0; i < rows; ++i) sum[i] += static_cast<double>(part[i]);
    }
    for (index_t i = 0; i < rows; ++i)
      out[static_cast<std::size_t>(begin + i)] = static_cast<float>(sum[i]);
  });
  return true;
}

}  // namespace flexkern
