// The Gram matrix of many points: square blocks on and below the diagonal, the first rows of them
// held, the others computed anew in every product. A block multiplies twice, as it is and
// transposed.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "cpu_device.h"
#include "pairwise.h"
#include "update.h"

namespace flexkern {
namespace {

// Rows of a block: whole panels and whole groups of every width, and a block stays in the
// second-level cache while it multiplies twice.
constexpr index_t kBlock = 384;
// Columns that one pass of a product covers, as in cpu_gram.cpp.
constexpr index_t kDepth = 192;

class CompactGram : public GramMatrix {
 public:
  CompactGram(const Points& x, const Kernel& kernel, double bytes, int threads, const Micro& micro,
              Context& context)
      : n_(x.rows()),
        stride_(round_up(n_, kPanel)),
        blocks_(round_up(stride_, kBlock) / kBlock),
        x_(x),
        kernel_(kernel),
        threads_(threads),
        micro_(micro),
        context_(context) {
    for (index_t first = 0; first < n_; first += kBlock)
      points_.emplace_back(x_.middle(first, std::min(kBlock, n_ - first)), kernel.uses_distance(),
                           micro);
    const index_t scratch = threads * kBlock * kBlock;
    const auto fit = [bytes](index_t values) {
      return sizeof(float) * static_cast<double>(values) <= bytes;
    };
    if (fit(end(blocks_ - 1)))
      held_ = blocks_;
    else
      while (fit(end(held_) + scratch)) ++held_;
    if (held_ > 0) values_ = Buffer<float>(end(held_ - 1));
    if (held_ < blocks_) scratch_ = Buffer<float>(scratch);
  }

  index_t stride() const override { return stride_; }

  void set_gamma(double gamma) override {
    if (evaluated_ && kernel_.gamma == gamma) return;
    evaluated_ = true;
    kernel_.gamma = gamma;
    for_blocks([&](index_t i, index_t j, int) {
      if (i < held_) fill(i, j, values_.data() + offset(i, j));
    });
  }

  void submatrix(const std::vector<index_t>& rows, float* out, index_t stride) const override {
    const auto position = [&](index_t block) {
      return std::lower_bound(rows.begin(), rows.end(), block * kBlock) - rows.begin();
    };
    for_blocks([&](index_t i, index_t j, int worker) {
      const float* values = block(i, j, worker);
      for (index_t c = position(j); c < position(j + 1); ++c)
        for (index_t r = std::max(c, position(i)); r < position(i + 1); ++r) {
          const index_t row = rows[static_cast<std::size_t>(r)] - i * kBlock;
          const index_t column = rows[static_cast<std::size_t>(c)] - j * kBlock;
          out[c * stride + r] = values[(row / kPanel * extent(j) + column) * kPanel + row % kPanel];
        }
    });
  }

  void multiply(const float* in, index_t cols, float* out) override {
    const index_t width = micro_.cols_f32;
    packed_.reserve(round_up(cols, width) * stride_);
    parallel_for(blocks_, threads_, context_, [&](index_t i, int) {
      const index_t first = i * kBlock, last = first + extent(i);
      pack_columns(in, stride_, cols, width, first, last, stride_, packed_.data());
      for (index_t c = 0; c < cols; ++c)
        std::fill(out + c * stride_ + first, out + c * stride_ + last, 0.0f);
    });
    for_blocks([&](index_t i, index_t j, int worker) {
      const float* values = block(i, j, worker);
      product(values, i, j, cols, out);
      if (i != j) transposed_product(values, i, j, cols, out);
    });
  }

 private:
  // Rows of block row i, padding included.
  index_t extent(index_t i) const { return std::min(kBlock, stride_ - i * kBlock); }
  // Where block (i, j), j <= i, begins; rows of blocks follow each other.
  index_t offset(index_t i, index_t j) const {
    return i * (i + 1) / 2 * kBlock * kBlock + j * extent(i) * kBlock;
  }
  // Values up to the end of block row i.
  index_t end(index_t i) const { return offset(i, i) + extent(i) * extent(i); }

  // Calls f(i, j, worker) for all blocks with j <= i, in rounds of pairs with the same i + j modulo
  // the number of blocks. No index occurs twice in a round, so that its pairs may add to rows i and
  // j of a result at the same time, and every row gets its summands in the same order whatever the
  // number of threads.
  template <typename F>
  void for_blocks(F f) const {
    for (index_t round = 0; round < blocks_; ++round) {
      std::vector<index_t> first;
      for (index_t i = 0; i < blocks_; ++i)
        if ((round - i + blocks_) % blocks_ <= i) first.push_back(i);
      parallel_for(static_cast<index_t>(first.size()), threads_, context_,
                   [&](index_t item, int worker) {
                     const index_t i = first[static_cast<std::size_t>(item)];
                     f(i, (round - i + blocks_) % blocks_, worker);
                   });
    }
  }

  const float* block(index_t i, index_t j, int worker) const {
    if (i < held_) return values_.data() + offset(i, j);
    float* values = scratch_.data() + worker * kBlock * kBlock;
    fill(i, j, values);
    return values;
  }

  // Panels of 16 rows, with columns of zeros up to a whole panel.
  void fill(index_t i, index_t j, float* out) const {
    const PackedPoints& others = points_[static_cast<std::size_t>(j)];
    PanelPairs pairs(x_, others, micro_);
    const index_t used = others.size() * kPanel, size = extent(j) * kPanel;
    Buffer<double> base(size);
    double sum = 0;
    for (index_t p = 0; p < extent(i) / kPanel; ++p, out += size) {
      pairs.select(i * kBlock / kPanel + p);
      pairs.evaluate(0, others.size(), base.data());
      for (index_t k = 0; k < used; ++k) out[k] = static_cast<float>(base[k]);
      for (index_t k = 0; k < used; ++k) sum += base[k];
      apply_kernel(kernel_, micro_, used, out, out);
      std::fill(out + used, out + size, 0.0f);
    }
    if (!std::isfinite(sum)) throw Error("the Gram matrix has values that are not finite");
  }

  // Rows of `out` from `row` on += panels * the packed rows from `from` on.
  void update(const float* panel, index_t depth, index_t from, index_t row, index_t cols,
              float* out) const {
    const index_t width = micro_.cols_f32;
    for (index_t k = 0; k < depth; k += kDepth)
      update_panel(micro_, std::min(kDepth, depth - k), panel + k * kPanel,
                   packed_.data() + (from + k) * width, stride_ * width, cols, out + row, stride_);
  }

  void product(const float* values, index_t i, index_t j, index_t cols, float* out) const {
    for (index_t p = 0; p < extent(i); p += kPanel)
      update(values + p * extent(j), extent(j), j * kBlock, i * kBlock + p, cols, out);
  }

  void transposed_product(const float* values, index_t i, index_t j, index_t cols,
                          float* out) const {
    alignas(64) float panel[kPanel * kBlock];
    for (index_t q = 0; q < extent(j); q += kPanel) {
      for (index_t p = 0; p < extent(i); p += kPanel)
        micro_.transpose(values + p * extent(j) + q * kPanel, panel + p * kPanel);
      update(panel, extent(i), i * kBlock, j * kBlock + q, cols, out);
    }
  }

  index_t n_, stride_, blocks_;
  Points x_;
  std::vector<PackedPoints> points_;  // of each block
  Kernel kernel_;
  bool evaluated_ = false;
  index_t held_ = 0;  // rows of blocks
  int threads_;
  const Micro& micro_;
  Context& context_;
  Buffer<float> values_, scratch_, packed_;
};

}  // namespace

std::unique_ptr<GramMatrix> CpuDevice::compact_gram(const Points& x, const Kernel& kernel,
                                                    double bytes, int threads,
                                                    Context& context) const {
  return std::make_unique<CompactGram>(x, kernel, bytes, threads, micro_, context);
}

double CpuDevice::compact_gram_bytes(index_t n) const {
  const double rows = static_cast<double>(round_up(n, kPanel));
  return sizeof(float) * rows * (rows + kBlock) / 2;
}

}  // namespace flexkern
