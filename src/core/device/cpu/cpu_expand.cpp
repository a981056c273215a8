// Kernel expansions out = K(x, centers) coef, tile by tile in double precision. A row's value
// depends on that row alone, so predictions are the same bytes whatever rows come with it.
#include "core/base/parallel.h"
#include "cpu_device.h"
#include "pairwise.h"

namespace flexkern {
namespace {

constexpr index_t kTile = 96;          // points of a tile; a multiple of every group width
constexpr index_t kPanelsPerItem = 4;  // panels that one work item covers

// coef in groups of `width` columns over all rows, zero-padded.
Buffer<double> pack_coef(ConstMatrixRef coef, index_t width) {
  Buffer<double> packed(round_up(std::max<index_t>(coef.cols(), 1), width) *
                        std::max<index_t>(coef.rows(), 1));
  pack_columns(coef.data(), coef.stride(), coef.cols(), width, 0, coef.rows(), coef.rows(),
               packed.data());
  return packed;
}

class Expansion {
 public:
  Expansion(const Points& x, const PackedPoints& centers, const Kernel& kernel,
            const Buffer<double>& coef, MatrixRef out, const Micro& micro)
      : centers_(centers),
        kernel_(kernel),
        coef_(coef),
        out_(out),
        micro_(micro),
        pairs_(x, centers, micro),
        tile_(kPanel * kTile),
        sums_(kPanel * round_up(std::max<index_t>(out.cols(), 1), micro.cols_f64)) {}

  void run(index_t panel) {
    const index_t n = centers_.size(), width = micro_.cols_f64;
    pairs_.select(panel);
    std::fill_n(sums_.data(), sums_.size(), 0.0);
    for (index_t j = 0; j < n; j += kTile) {
      const index_t end = std::min(n, j + kTile), depth = end - j;
      pairs_.evaluate(j, end, tile_.data());
      apply_kernel(kernel_, micro_, depth * kPanel, tile_.data(), tile_.data());
      for (index_t c = 0; c < out_.cols(); c += width)
        micro_.gemm_f64(depth, tile_.data(), coef_.data() + c * n + j * width,
                        sums_.data() + c * kPanel, kPanel);
    }
    const index_t begin = panel * kPanel, rows = std::min(kPanel, out_.rows() - begin);
    for (index_t c = 0; c < out_.cols(); ++c)
      std::copy_n(sums_.data() + c * kPanel, rows, out_.col(c) + begin);
  }

 private:
  const PackedPoints& centers_;
  const Kernel& kernel_;
  const Buffer<double>& coef_;
  MatrixRef out_;
  const Micro& micro_;
  PanelPairs pairs_;
  Buffer<double> tile_, sums_;
};

}  // namespace

void CpuDevice::expand(const Points& x, const Points& centers, const Kernel& kernel,
                       ConstMatrixRef coef, MatrixRef out, int threads, Context& context) const {
  const PackedPoints packed(centers, kernel.uses_distance(), micro_);
  const Buffer<double> packed_coef = pack_coef(coef, micro_.cols_f64);
  const index_t panels = round_up(x.rows(), kPanel) / kPanel;
  const index_t items = (panels + kPanelsPerItem - 1) / kPanelsPerItem;
  parallel_for(items, threads, context, [&](index_t item, int) {
    Expansion expansion(x, packed, kernel, packed_coef, out, micro_);
    const index_t last = std::min(panels, (item + 1) * kPanelsPerItem);
    for (index_t p = item * kPanelsPerItem; p < last; ++p) {
      context.check();
      expansion.run(p);
    }
  });
}

}  // namespace flexkern
