// The Gram matrix in panels of 16 rows. The base quantities are kept beside the kernel values, so
// that a new gamma costs one pass of the exponential; panels are stored in the order in which
// products read them.
#include <cmath>

#include "core/base/parallel.h"
#include "cpu_device.h"
#include "pairwise.h"

namespace flexkern {
namespace {

// Columns of the Gram matrix that one pass of a product covers, so that a slice of a panel stays in
// the first-level cache while all groups of the block go over it.
constexpr index_t kDepth = 256;
// Panels that one work item covers.
constexpr index_t kPanelsPerItem = 8;

class CpuGram : public GramMatrix {
 public:
  CpuGram(ConstMatrixRef x, const Kernel& kernel, int threads, const Micro& micro, Context& context)
      : n_(x.rows()),
        panels_(round_up(n_, kPanel) / kPanel),
        kernel_(kernel),
        threads_(threads),
        micro_(micro),
        context_(context),
        base_(panels_ * kPanel * n_),
        values_(panels_ * kPanel * n_) {
    const PackedPoints points(x, micro);
    for_panels([&](index_t first, index_t last) { fill_base(x, points, first, last); });
  }

  index_t stride() const override { return panels_ * kPanel; }

  void set_gamma(double gamma) override {
    kernel_.gamma = gamma;
    for_panels([&](index_t first, index_t last) {
      const index_t begin = first * kPanel * n_;
      apply_kernel(kernel_, micro_, (last - first) * kPanel * n_, base_.data() + begin,
                   values_.data() + begin);
    });
  }

  void multiply(const float* in, index_t cols, float* out) override {
    const index_t width = micro_.cols_f32, groups = round_up(cols, width) / width;
    packed_.reserve(groups * width * n_);
    const index_t rows = 512, items = (n_ + rows - 1) / rows;
    parallel_for(items, threads_, context_, [&](index_t item, int) {
      pack_columns(in, stride(), cols, width, item * rows, std::min(n_, (item + 1) * rows), n_,
                   packed_.data());
    });
    for_panels([&](index_t first, index_t last) { product(first, last, cols, out); });
  }

 private:
  template <typename F>
  void for_panels(F f) {
    const index_t items = (panels_ + kPanelsPerItem - 1) / kPanelsPerItem;
    parallel_for(items, threads_, context_, [&](index_t item, int) {
      f(item * kPanelsPerItem, std::min(panels_, (item + 1) * kPanelsPerItem));
    });
  }

  void fill_base(ConstMatrixRef x, const PackedPoints& points, index_t first, index_t last) {
    const index_t block = points.width() * 32;
    PanelPairs pairs(x, points, kernel_.uses_distance(), micro_);
    Buffer<double> tile(kPanel * block);
    double sum = 0;
    for (index_t p = first; p < last; ++p) {
      pairs.select(p);
      for (index_t j = 0; j < n_; j += block) {
        const index_t end = std::min(n_, j + block), count = (end - j) * kPanel;
        pairs.evaluate(j, end, tile.data());
        float* out = base_.data() + (p * n_ + j) * kPanel;
        for (index_t i = 0; i < count; ++i) out[i] = static_cast<float>(tile[i]);
        for (index_t i = 0; i < count; ++i) sum += tile[i];
      }
    }
    if (!std::isfinite(sum)) throw Error("the Gram matrix has values that are not finite");
  }

  // Rows of panels [first, last) of the product. Partial sums over kDepth columns are added up,
  // which keeps the rounding error of single precision small as well.
  void product(index_t first, index_t last, index_t cols, float* out) {
    const index_t width = micro_.cols_f32;
    // The last group is padded: its tile goes through a buffer of full width.
    float tile[kPanel * 32];
    for (index_t c = 0; c < cols; ++c)
      std::fill(out + c * stride() + first * kPanel, out + c * stride() + last * kPanel, 0.0f);
    for (index_t k = 0; k < n_; k += kDepth) {
      const index_t depth = std::min(kDepth, n_ - k);
      for (index_t p = first; p < last; ++p) {
        const float* panel = values_.data() + (p * n_ + k) * kPanel;
        for (index_t c = 0; c < cols; c += width) {
          const float* group = packed_.data() + c * n_ + k * width;
          float* target = out + c * stride() + p * kPanel;
          if (c + width <= cols) {
            micro_.gemm_f32(depth, panel, group, target, stride());
          } else {
            std::fill(tile, tile + kPanel * width, 0.0f);
            micro_.gemm_f32(depth, panel, group, tile, kPanel);
            for (index_t j = 0; j < cols - c; ++j)
              micro_.axpy(kPanel, 1.0f, tile + j * kPanel, target + j * stride());
          }
        }
      }
    }
  }

  index_t n_, panels_;
  Kernel kernel_;
  int threads_;
  const Micro& micro_;
  Context& context_;
  Buffer<float> base_, values_, packed_;
};

}  // namespace

std::unique_ptr<GramMatrix> CpuDevice::gram(ConstMatrixRef x, const Kernel& kernel, int threads,
                                            Context& context) const {
  return std::make_unique<CpuGram>(x, kernel, threads, micro_, context);
}

double CpuDevice::gram_bytes(index_t n) const {
  return 2.0 * sizeof(float) * static_cast<double>(round_up(n, kPanel)) * static_cast<double>(n);
}

}  // namespace flexkern
