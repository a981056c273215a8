#include "fold_grams.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/device/cpu/pack.h"

namespace flexkern {
namespace {

constexpr index_t kRows = 256;  // rows that are packed at a time

class Grams {
 public:
  Grams(const FoldPlan& plan, const PivotedCholesky& factor, const Micro& micro, int threads,
        Context& context)
      : plan_(plan),
        factor_(factor),
        micro_(micro),
        threads_(threads),
        context_(context),
        rank_(factor.rank()),
        panels_(round_up(rank_, kPanel) / kPanel),
        unit_(micro.cols_f64),
        rows_(panels_ * kPanel * kRows),
        groups_(round_up(rank_, unit_) * kRows) {
    std::fill_n(rows_.data(), rows_.size(), 0.0);
    std::fill_n(groups_.data(), groups_.size(), 0.0);
  }

  // Where every row is left out by exactly one fold, the sum over what all of them leave out, less
  // what this one does; otherwise from the fold's own rows.
  std::vector<Buffer<double>> run() {
    const bool dealt = dealt_once();
    std::vector<Buffer<double>> out;
    for (const Fold& fold : plan_.folds)
      out.push_back(product([&](index_t i) { return dealt != (fold.mask[i] > 0); }));
    if (!dealt) return out;
    parallel_for(rank_, threads_, context_, [&](index_t j, int) {
      for (index_t i = j * rank_ + j; i < (j + 1) * rank_; ++i) {
        double total = 0;
        for (const Buffer<double>& part : out) total += part[i];
        for (Buffer<double>& part : out) part[i] = total - part[i];
      }
    });
    return out;
  }

 private:
  bool counts(index_t i) const { return plan_.weights[static_cast<std::size_t>(i)] > 0; }

  bool dealt_once() const {
    for (index_t i = 0; i < plan_.n; ++i) {
      int out = 0;
      for (const Fold& fold : plan_.folds) out += !(fold.mask[i] > 0);
      if (counts(i) && out != 1) return false;
    }
    return true;
  }

  // L' W L over the rows of positive weight that are chosen.
  template <typename Chosen>
  Buffer<double> product(Chosen chosen) {
    Buffer<double> out(rank_ * rank_);
    std::fill_n(out.data(), out.size(), 0.0);
    std::vector<index_t> rows;
    for (index_t i = 0; i < plan_.n; ++i) {
      if (counts(i) && chosen(i)) rows.push_back(i);
      if (static_cast<index_t>(rows.size()) < kRows && i + 1 < plan_.n) continue;
      pack(rows);
      parallel_for(panels_, threads_, context_,
                   [&](index_t p, int) { add(p, static_cast<index_t>(rows.size()), out); });
      rows.clear();
    }
    return out;
  }

  // The rows times the roots of their weights, as panels and as groups.
  void pack(const std::vector<index_t>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const index_t k = static_cast<index_t>(i), row = rows[i];
      const double* from = factor_.panel(row / kPanel) + row % kPanel;
      // As in the masks.
      const double root =
          static_cast<float>(std::sqrt(plan_.weights[static_cast<std::size_t>(row)]));
      for (index_t j = 0; j < rank_; ++j) {
        const double value = root * from[j * kPanel];
        rows_[(j / kPanel * kRows + k) * kPanel + j % kPanel] = value;
        groups_[(j / unit_ * kRows + k) * unit_ + j % unit_] = value;
      }
    }
  }

  // Rows [16 p, 16 p + 16) of the lower triangle += those of the packed rows.
  void add(index_t p, index_t depth, Buffer<double>& out) const {
    const index_t first = p * kPanel, rows = std::min(kPanel, rank_ - first);
    double tile[kPanel * 8];
    for (index_t j = 0; j < first + rows; j += unit_) {
      std::fill_n(tile, kPanel * unit_, 0.0);
      micro_.gemm_f64(depth, rows_.data() + first * kRows, groups_.data() + j * kRows, tile,
                      kPanel);
      for (index_t c = 0; c < std::min(unit_, rank_ - j); ++c)
        for (index_t r = 0; r < rows; ++r) out[(j + c) * rank_ + first + r] += tile[c * kPanel + r];
    }
  }

  const FoldPlan& plan_;
  const PivotedCholesky& factor_;
  const Micro& micro_;
  int threads_;
  Context& context_;
  index_t rank_, panels_, unit_;
  Buffer<double> rows_, groups_;
};

}  // namespace

std::vector<Buffer<double>> fold_grams(const FoldPlan& plan, const PivotedCholesky& factor,
                                       const Micro& micro, int threads, Context& context) {
  return Grams(plan, factor, micro, threads, context).run();
}

}  // namespace flexkern
