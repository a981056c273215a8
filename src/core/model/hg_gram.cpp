#include "hg_gram.h"

#include <algorithm>
#include <numeric>

#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/device/cpu/pairwise.h"

namespace flexkern {

void hierarchy_gram(const Points& x, const Points& z, double gamma, const Micro& micro,
                    MatrixRef out, Context& context) {
  constexpr index_t tile = 96;
  Kernel kernel;
  kernel.gamma = gamma;
  const PackedPoints packed(z.under(x.hierarchy()), true, micro);
  const index_t panels = round_up(x.rows(), kPanel) / kPanel;
  parallel_for(panels, context.threads, context, [&](index_t p, int) {
    Buffer<double> values(kPanel * tile);
    PanelPairs pairs(x, packed, micro);
    pairs.select(p);
    const index_t begin = p * kPanel, rows = std::min(kPanel, x.rows() - begin);
    for (index_t j = 0; j < z.rows(); j += tile) {
      const index_t end = std::min(z.rows(), j + tile);
      pairs.evaluate(j, end, values.data());
      apply_kernel(kernel, micro, kPanel * (end - j), values.data(), values.data());
      for (index_t c = j; c < end; ++c)
        std::copy_n(values.data() + (c - j) * kPanel, rows, out.col(c) + begin);
    }
  });
}

std::vector<std::vector<index_t>> share_columns(index_t p, index_t nodes, index_t places,
                                                std::uint64_t seed) {
  Rng rng(seed, stream::kShare);
  std::vector<index_t> deck;  // the next column is the last one
  std::vector<std::vector<index_t>> out;
  for (index_t j = 0; j < nodes; ++j) {
    std::vector<index_t> mine;
    const auto taken = [&](index_t k) { return std::count(mine.begin(), mine.end(), k) > 0; };
    for (index_t t = places * j / nodes; t < places * (j + 1) / nodes; ++t) {
      if (deck.empty()) {
        deck.resize(static_cast<std::size_t>(p));
        std::iota(deck.begin(), deck.end(), index_t{0});
        rng.shuffle(deck);
        std::stable_partition(deck.begin(), deck.end(), taken);
      }
      mine.push_back(deck.back());
      deck.pop_back();
    }
    std::sort(mine.begin(), mine.end());
    out.push_back(std::move(mine));
  }
  return out;
}

}  // namespace flexkern
