// Columns of the Gram matrix Z'Z in single precision, computed when they are first needed and kept
// as long as there is room: every step of a path needs those of its active sources.
#ifndef FLEXKERN_SOLVER_GRAM_CACHE_H
#define FLEXKERN_SOLVER_GRAM_CACHE_H

#include <unordered_map>
#include <vector>

#include "active_set.h"
#include "sources.h"

namespace flexkern {

// Sources whose Gram columns are computed before they are needed.
constexpr std::size_t kAhead = 10;

class GramCache {
 public:
  // `bytes` bounds the columns that are kept.
  GramCache(Sources& sources, double bytes);
  // Computes Z'r, and on the way the Gram columns of `source` and of those that may follow it (the
  // pass is bound by reading Z), for which columns outside `active` may have to go. Nothing
  // happens, and the answer is false, if the source's is there already.
  bool require(index_t source, const std::vector<index_t>& ahead, const std::vector<double>& r,
               const ActiveSet& active, std::vector<float>& correlations, Context& context);
  // out = sum_k w_k Z' z_k over the active columns; false if one is missing.
  bool combine(const ActiveSet& active, const std::vector<double>& w, std::vector<float>& out,
               Context& context) const;
  Sources& sources() const { return sources_; }

 private:
  std::vector<index_t> missing(index_t source, const std::vector<index_t>& ahead) const;
  void make_room(const ActiveSet& active);

  Sources& sources_;
  std::size_t room_;
  std::unordered_map<index_t, Buffer<float>> columns_;
};

}  // namespace flexkern

#endif
