// The Gram matrix by rows. The base quantities are kept beside the kernel values, so that a new
// gamma costs one pass of the exponential; or they are computed anew in the place of the values.
#include <cmath>

#include "core/base/parallel.h"
#include "cpu_device.h"
#include "pairwise.h"

namespace flexkern {
namespace {

class CpuGramRows : public GramRows {
 public:
  CpuGramRows(const Points& x, const Kernel& kernel, bool keep_base, int threads,
              const Micro& micro, Context& context)
      : x_(x),
        n_(x.rows()),
        stride_(round_up(n_, kPanel)),
        kernel_(kernel),
        threads_(threads),
        micro_(micro),
        context_(context),
        base_(keep_base ? n_ * stride_ : 0),
        values_(n_ * stride_),
        scale_(static_cast<std::size_t>(n_), 1.0) {
    if (keep_base) fill_base();
  }

  index_t size() const override { return n_; }
  index_t stride() const override { return stride_; }
  const float* row(index_t i) const override { return values_.data() + i * stride_; }
  double scale(index_t i) const override { return scale_[static_cast<std::size_t>(i)]; }

  void set_gamma(double gamma) override {
    if (evaluated_ && kernel_.gamma == gamma) return;
    evaluated_ = true;
    kernel_.gamma = gamma;
    if (!has_unit_diagonal()) {
      scale_ = kernel_diagonal(x_, kernel_, micro_);
      for (double& s : scale_) s = s > 0 ? std::sqrt(s) : 0;
    }
    if (base_.size() == 0) fill_base();
    constexpr index_t kRows = 16;
    parallel_for((n_ + kRows - 1) / kRows, threads_, context_, [&](index_t item, int) {
      for (index_t i = item * kRows; i < std::min(n_, (item + 1) * kRows); ++i) evaluate(i);
    });
  }

 private:
  bool has_unit_diagonal() const { return kernel_.uses_distance() && kernel_.constant() == 0; }
  float* base(index_t i) { return (base_.size() > 0 ? base_ : values_).data() + i * stride_; }

  void fill_base() {
    const PackedPoints points(x_, kernel_.uses_distance(), micro_);
    parallel_for(stride_ / kPanel, threads_, context_,
                 [&](index_t panel, int) { fill_panel(points, panel); });
  }

  void fill_panel(const PackedPoints& points, index_t panel) {
    const index_t block = points.width() * 32, first = panel * kPanel;
    const index_t rows = std::min(kPanel, n_ - first);
    PanelPairs pairs(x_, points, micro_);
    Buffer<double> tile(kPanel * block);
    pairs.select(panel);
    double sum = 0;
    for (index_t j = 0; j < n_; j += block) {
      const index_t end = std::min(n_, j + block);
      pairs.evaluate(j, end, tile.data());
      for (index_t r = 0; r < rows; ++r) {
        float* out = base(first + r) + j;
        for (index_t k = 0; k < end - j; ++k) {
          out[k] = static_cast<float>(tile[k * kPanel + r]);
          sum += tile[k * kPanel + r];
        }
      }
    }
    for (index_t r = 0; r < rows; ++r) std::fill_n(base(first + r) + n_, stride_ - n_, 0.0f);
    if (!std::isfinite(sum)) throw Error("the Gram matrix has values that are not finite");
  }

  void evaluate(index_t i) {
    float* out = values_.data() + i * stride_;
    apply_kernel(kernel_, micro_, stride_, base(i), out);
    std::fill_n(out + n_, stride_ - n_, 0.0f);
    if (has_unit_diagonal()) return;
    for (index_t j = 0; j < n_; ++j) {
      const double both = scale(i) * scale(j);
      out[j] = both > 0 ? static_cast<float>(out[j] / both) : 0;
    }
    if (scale(i) > 0) out[i] = 1;
  }

  Points x_;
  index_t n_, stride_;
  Kernel kernel_;
  bool evaluated_ = false;
  int threads_;
  const Micro& micro_;
  Context& context_;
  Buffer<float> base_, values_;
  std::vector<double> scale_;
};

}  // namespace

std::unique_ptr<GramRows> CpuDevice::gram_rows(const Points& x, const Kernel& kernel,
                                               bool keep_base, int threads,
                                               Context& context) const {
  return std::make_unique<CpuGramRows>(x, kernel, keep_base, threads, micro_, context);
}

}  // namespace flexkern
