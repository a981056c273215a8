// The Gram matrix in panels of 16 rows. The base quantities are kept beside the kernel values, so
// that a new gamma costs one pass of the exponential; panels are stored in the order in which
// products read them.
#include <cmath>

#include "core/base/parallel.h"
#include "cpu_device.h"
#include "pairwise.h"
#include "update.h"

namespace flexkern {
namespace {

// Columns of the Gram matrix that one pass of a product covers, so that a slice of a panel stays in
// the first-level cache while all groups of the block go over it.
constexpr index_t kDepth = 256;
// Values that one thread packs faster than two that have to be started.
constexpr index_t kSerialPack = 200000;
// Panels that one work item covers.
constexpr index_t kPanelsPerItem = 8;
// With few columns a product takes as long as reading the matrix, and half of it will do: blocks of
// so many panels, the left ones in tiles of so many columns, multiply twice.
constexpr index_t kFewCols = 2 * kDotCols, kHalfRows = 1500, kBlockPanels = 16, kTile = 256;

class CpuGram : public GramMatrix {
 public:
  CpuGram(const Points& x, const Kernel& kernel, int threads, const Micro& micro, Context& context)
      : n_(x.rows()),
        panels_(round_up(n_, kPanel) / kPanel),
        kernel_(kernel),
        threads_(threads),
        micro_(micro),
        context_(context),
        base_(panels_ * kPanel * n_),
        values_(panels_ * kPanel * n_) {
    const PackedPoints points(x, kernel.uses_distance(), micro);
    const index_t items = (panels_ + kPanelsPerItem - 1) / kPanelsPerItem;
    parallel_for(items, threads_, context_, [&](index_t i, int) {
      const index_t item = items - 1 - i;  // the largest ones first
      fill_base(x, points, item * kPanelsPerItem, std::min(panels_, (item + 1) * kPanelsPerItem));
    });
    for_panels([&](index_t first, index_t last) { mirror_base(first, last); });
  }

  index_t stride() const override { return panels_ * kPanel; }

  void set_gamma(double gamma) override {
    if (evaluated_ && kernel_.gamma == gamma) return;
    evaluated_ = true;
    kernel_.gamma = gamma;
    for_panels([&](index_t first, index_t last) {
      const index_t begin = first * kPanel * n_;
      apply_kernel(kernel_, micro_, (last - first) * kPanel * n_, base_.data() + begin,
                   values_.data() + begin);
    });
  }

  void submatrix(const std::vector<index_t>& rows, float* out, index_t stride) const override {
    const index_t count = static_cast<index_t>(rows.size());
    parallel_for((count + 63) / 64, threads_, context_, [&](index_t item, int) {
      for (index_t j = item * 64; j < std::min(count, (item + 1) * 64); ++j) {
        const index_t column = rows[static_cast<std::size_t>(j)];
        for (index_t i = j; i < count; ++i) {
          const index_t row = rows[static_cast<std::size_t>(i)];
          out[j * stride + i] = values_[(row / kPanel * n_ + column) * kPanel + row % kPanel];
        }
      }
    });
  }

  void multiply(const float* in, index_t cols, float* out) override {
    if (cols <= kFewCols && n_ >= kHalfRows) return multiply_half(in, cols, out);
    pack(in, cols);
    for_panels([&](index_t first, index_t last) {
      clear(first, last, cols, out);
      product(first, last, 0, n_, cols, out);
    });
  }

 private:
  template <typename F>
  void for_panels(F f) {
    const index_t items = (panels_ + kPanelsPerItem - 1) / kPanelsPerItem;
    parallel_for(items, threads_, context_, [&](index_t item, int) {
      f(item * kPanelsPerItem, std::min(panels_, (item + 1) * kPanelsPerItem));
    });
  }

  void pack(const float* in, index_t cols) {
    const index_t width = micro_.cols_f32;
    packed_.reserve(round_up(cols, width) * n_);
    const index_t rows = 512, items = (n_ + rows - 1) / rows;
    const int crew = n_ * cols < kSerialPack ? 1 : threads_;
    parallel_for(items, crew, context_, [&](index_t item, int) {
      pack_columns(in, stride(), cols, width, item * rows, std::min(n_, (item + 1) * rows), n_,
                   packed_.data());
    });
  }

  // Panels [first, last) up to the diagonal.
  void fill_base(const Points& x, const PackedPoints& points, index_t first, index_t last) {
    const index_t block = points.width() * 32;
    PanelPairs pairs(x, points, micro_);
    Buffer<double> tile(kPanel * block);
    double sum = 0;
    for (index_t p = first; p < last; ++p) {
      pairs.select(p);
      const index_t diagonal = std::min(n_, (p + 1) * kPanel);
      for (index_t j = 0; j < diagonal; j += block) {
        const index_t end = std::min(diagonal, j + block), count = (end - j) * kPanel;
        pairs.evaluate(j, end, tile.data());
        float* out = base_.data() + (p * n_ + j) * kPanel;
        for (index_t i = 0; i < count; ++i) out[i] = static_cast<float>(tile[i]);
        for (index_t i = 0; i < count; ++i) sum += tile[i];
      }
    }
    if (!std::isfinite(sum)) throw Error("the Gram matrix has values that are not finite");
  }

  // What is right of the diagonal, from the panels below.
  void mirror_base(index_t first, index_t last) {
    for (index_t p = first; p < last; ++p)
      for (index_t i = (p + 1) * kPanel; i < n_; ++i) {
        const float* from = base_.data() + (i / kPanel * n_ + p * kPanel) * kPanel + i % kPanel;
        float* to = base_.data() + (p * n_ + i) * kPanel;
        for (index_t r = 0; r < kPanel; ++r) to[r] = from[r * kPanel];
      }
  }

  // K in from the lower triangle. A block's sums for the rows above it are kept apart and added up
  // in a fixed order.
  void multiply_half(const float* in, index_t cols, float* out) {
    pack(in, cols);
    const index_t block = kBlockPanels * kPanel, blocks = round_up(n_, block) / block;
    partial_.reserve(block * cols * blocks * (blocks - 1) / 2);
    parallel_for(blocks, threads_, context_, [&](index_t item, int) {
      const index_t b = blocks - 1 - item;  // the largest ones first
      half_block(b, in, cols, partial_.data() + block * cols * b * (b - 1) / 2, out);
    });
    parallel_for(blocks, threads_, context_, [&](index_t above, int) {
      const index_t first = above * block, last = std::min(stride(), first + block);
      for (index_t b = above + 1; b < blocks; ++b) {
        const float* sums = partial_.data() + block * cols * b * (b - 1) / 2;
        for (index_t c = 0; c < cols; ++c)
          micro_.axpy(last - first, 1.0f, sums + c * b * block + first, out + c * stride() + first);
      }
    });
  }

  // The rows of block b times the columns up to its end; and, in `sums`, what its rows add to the
  // rows above.
  void half_block(index_t b, const float* in, index_t cols, float* sums, float* out) {
    const index_t first = b * kBlockPanels, last = std::min(panels_, first + kBlockPanels);
    const index_t above = first * kPanel;
    clear(first, last, cols, out);
    std::fill_n(sums, above * cols, 0.0f);
    for (index_t k = 0; k < above; k += kTile) {
      context_.check();
      product(first, last, k, std::min(above, k + kTile), cols, out);
      for (index_t c = 0; c < cols; c += kDotCols)
        micro_.gemm_transposed(last - first, n_ * kPanel, std::min(kTile, above - k) / 2,
                               values_.data() + (first * n_ + k) * kPanel,
                               in + c * stride() + above, stride(), std::min(kDotCols, cols - c),
                               sums + c * above + k, above);
    }
    product(first, last, above, std::min(n_, last * kPanel), cols, out);
  }

  void clear(index_t first, index_t last, index_t cols, float* out) const {
    for (index_t c = 0; c < cols; ++c)
      std::fill(out + c * stride() + first * kPanel, out + c * stride() + last * kPanel, 0.0f);
  }

  // Rows of panels [first, last) += their columns [begin, end) times the block. Partial sums over
  // kDepth columns are added up, which keeps the rounding error of single precision small as well.
  void product(index_t first, index_t last, index_t begin, index_t end, index_t cols, float* out) {
    for (index_t k = begin; k < end; k += kDepth)
      for (index_t p = first; p < last; ++p)
        update_panel(micro_, std::min(kDepth, end - k), values_.data() + (p * n_ + k) * kPanel,
                     packed_.data() + k * micro_.cols_f32, n_ * micro_.cols_f32, cols,
                     out + p * kPanel, stride());
  }

  index_t n_, panels_;
  Kernel kernel_;
  bool evaluated_ = false;
  int threads_;
  const Micro& micro_;
  Context& context_;
  Buffer<float> base_, values_, packed_, partial_;
};

}  // namespace

std::unique_ptr<GramMatrix> CpuDevice::gram(const Points& x, const Kernel& kernel, int threads,
                                            Context& context) const {
  return std::make_unique<CpuGram>(x, kernel, threads, micro_, context);
}

double CpuDevice::gram_bytes(index_t n) const {
  return 2.0 * sizeof(float) * static_cast<double>(round_up(n, kPanel)) * static_cast<double>(n);
}

}  // namespace flexkern
