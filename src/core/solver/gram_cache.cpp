#include "gram_cache.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

constexpr index_t kRows = 2048;          // rows of a sum that one work item covers
constexpr index_t kSerialWork = 500000;  // multiplications that one thread does sooner than two

}  // namespace

GramCache::GramCache(Sources& sources, double bytes)
    : sources_(sources),
      room_(static_cast<std::size_t>(std::max(
          1.0, bytes / (4.0 * static_cast<double>(std::max<index_t>(sources.size(), 1)))))) {}

bool GramCache::require(index_t source, const double* column, const double* r,
                        const ActiveSet& active, std::vector<float>& correlations,
                        Context& context) {
  if (columns_.count(source)) return false;
  const index_t n = sources_.rows(), size = sources_.size();
  std::vector<double> in(r, r + n);
  in.insert(in.end(), column, column + n);
  Buffer<float> out(2 * size);
  sources_.correlate(in.data(), 2, out.data(), context);
  std::copy_n(out.data(), size, correlations.begin());
  make_room(active);
  if (columns_.size() >= room_) return true;
  Buffer<float> gram(size);
  std::copy_n(out.data() + size, size, gram.data());
  columns_.emplace(source, std::move(gram));
  return true;
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
    std::fill_n(out.data() + begin, rows, 0.0f);
    for (std::size_t k = 0; k < columns.size(); ++k)
      sources_.micro().axpy(rows, static_cast<float>(w[k]), columns[k] + begin, out.data() + begin);
  });
  return true;
}

}  // namespace flexkern
