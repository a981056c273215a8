#include "kbp_dictionary.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/device/cpu/update.h"

namespace flexkern {
namespace {

constexpr double kStoredShare = 0.6;    // of the budget, for the dictionary itself
constexpr double kConstant = 1e-10;     // a column whose deviation is this share of its size
constexpr index_t kDepth = 32;          // products that are added up in single precision
constexpr double kSerialWork = 300000;  // values that one thread handles sooner than two

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

std::vector<double> gather(ConstMatrixRef x, const std::vector<index_t>& rows,
                           const std::vector<index_t>& columns) {
  std::vector<double> out;
  out.reserve(rows.size() * columns.size());
  for (index_t k : columns)
    for (index_t i : rows) out.push_back(x(i, k));
  return out;
}

}  // namespace

std::vector<index_t> distinct_rows(ConstMatrixRef x, const std::vector<index_t>& rows) {
  const auto compare = [&](index_t a, index_t b) {
    for (index_t k = 0; k < x.cols(); ++k)
      if (x(a, k) != x(b, k)) return x(a, k) < x(b, k) ? -1 : 1;
    return 0;
  };
  std::vector<index_t> order = rows;
  std::sort(order.begin(), order.end(), [&](index_t a, index_t b) {
    const int c = compare(a, b);
    return c != 0 ? c < 0 : a < b;
  });
  order.erase(std::unique(order.begin(), order.end(),
                          [&](index_t a, index_t b) { return compare(a, b) == 0; }),
              order.end());
  std::sort(order.begin(), order.end());
  return order;
}

struct KbpDictionary::Family {
  std::vector<index_t> columns;
  bool distance;
  std::vector<index_t> blocks, centers;
  std::vector<double> points, held, at_center;
  ConstMatrixRef point_view, center_view;
  std::unique_ptr<PackedPoints> packed;
};

struct KbpDictionary::Scratch {
  Buffer<double> base, values;
  Buffer<float> tile;
};

KbpDictionary::KbpDictionary(ConstMatrixRef x, const std::vector<SourceBlock>& blocks,
                             const RowPlan& plan, double memory, int threads, const Micro& micro,
                             Context& context)
    : x_(x),
      blocks_(blocks),
      plan_(plan),
      micro_(micro),
      n_(static_cast<index_t>(plan.rows.size())) {
  for (double w : plan.weight) root_.push_back(std::sqrt(w));
  lay_out();
  const double values = static_cast<double>(n_) * static_cast<double>(size());
  threads_ = values < kSerialWork ? 1 : threads;
  const double bytes = 4 * values;
  stored_ = bytes <= kStoredShare * memory;
  if (stored_) store_ = Buffer<float>(n_ * size());
  for_panels(context, [&](index_t panel, const double* raw, float* tile) {
    learn_moments(panel, raw);
    if (stored_) standardise(panel, raw, store_.data() + panel * kPanel * n_);
    (void)tile;
  });
}

KbpDictionary::~KbpDictionary() = default;

void KbpDictionary::lay_out() {
  std::vector<char> learned(at(x_.rows()), 0);
  for (index_t i : plan_.rows) learned[at(i)] = 1;
  for (index_t b = 0; b < static_cast<index_t>(blocks_.size()); ++b) {
    const SourceBlock& block = blocks_[at(b)];
    first_panel_.push_back(static_cast<index_t>(block_of_panel_.size()));
    if (!block.given()) {
      const index_t f = family_of(b);
      family_of_block_.push_back(f);
      families_[at(f)]->blocks.push_back(b);
      add_panels(b, families_[at(f)]->centers);
      continue;
    }
    family_of_block_.push_back(-1);
    std::vector<index_t> places;
    for (index_t j = 0; j < block.values.cols(); ++j) {
      const std::int32_t owner = block.owner.empty() ? -1 : block.owner[at(j)];
      if (owner < 0 || learned[at(owner)]) places.push_back(j);
    }
    add_panels(b, places);
  }
  for (index_t f = 0; f < static_cast<index_t>(families_.size()); ++f)
    for (index_t p = 0; p * kPanel < static_cast<index_t>(families_[at(f)]->centers.size()); ++p)
      items_.push_back({f, p});
  for (index_t p = 0; p < static_cast<index_t>(block_of_panel_.size()); ++p)
    if (blocks_[at(block_of_panel_[at(p)])].given()) items_.push_back({-1, p});
  mean_.assign(role_.size(), 0.0);
  scale_.assign(role_.size(), 0.0);
}

void KbpDictionary::add_panels(index_t block, const std::vector<index_t>& places) {
  const index_t panels = round_up(static_cast<index_t>(places.size()), kPanel) / kPanel;
  block_of_panel_.insert(block_of_panel_.end(), at(panels), block);
  for (index_t j = 0; j < panels * kPanel; ++j) {
    const bool there = j < static_cast<index_t>(places.size());
    place_.push_back(there ? places[at(j)] : -1);
    role_.push_back(there ? blocks_[at(block)].role : Role::absent);
  }
}

index_t KbpDictionary::family_of(index_t block) {
  const SourceBlock& b = blocks_[at(block)];
  for (std::size_t f = 0; f < families_.size(); ++f)
    if (families_[f]->columns == b.columns &&
        families_[f]->distance == b.kernel.kernel.uses_distance())
      return static_cast<index_t>(f);
  auto family = std::make_unique<Family>();
  family->columns = b.columns;
  family->distance = b.kernel.kernel.uses_distance();
  const index_t d = static_cast<index_t>(b.columns.size());
  family->points = gather(x_, plan_.rows, b.columns);
  family->held = gather(x_, plan_.held, b.columns);
  family->point_view = ConstMatrixRef(family->points.data(), n_, d);
  // Equal rows would be equal columns of the dictionary.
  std::vector<index_t> all(at(n_));
  for (index_t i = 0; i < n_; ++i) all[at(i)] = i;
  std::vector<index_t> own(at(d));
  for (index_t k = 0; k < d; ++k) own[at(k)] = k;
  const std::vector<index_t> first = distinct_rows(family->point_view, all);
  family->at_center = gather(family->point_view, first, own);
  for (index_t i : first) family->centers.push_back(plan_.rows[at(i)]);
  family->center_view =
      ConstMatrixRef(family->at_center.data(), static_cast<index_t>(first.size()), d);
  family->packed = std::make_unique<PackedPoints>(family->point_view, family->distance, micro_);
  families_.push_back(std::move(family));
  return static_cast<index_t>(families_.size()) - 1;
}

// Calls f(panel, values, tile) for every panel of 16 columns: its values at the rows, 16 a row, and
// room for as many in single precision.
template <typename F>
void KbpDictionary::for_panels(Context& context, F f) {
  std::vector<Scratch> scratch(at(std::max(threads_, 1)));
  parallel_for(static_cast<index_t>(items_.size()), threads_, context,
               [&](index_t number, int worker) {
                 Scratch& s = scratch[static_cast<std::size_t>(worker)];
                 s.values.reserve(kPanel * n_);
                 s.tile.reserve(kPanel * n_);
                 const Item& item = items_[at(number)];
                 if (item.family < 0) {
                   fill_given(item.panel, s.values.data());
                   f(item.panel, s.values.data(), s.tile.data());
                   return;
                 }
                 const Family& family = *families_[at(item.family)];
                 s.base.reserve(kPanel * n_);
                 PanelPairs pairs(family.center_view, *family.packed, micro_);
                 pairs.select(item.panel);
                 pairs.evaluate(0, n_, s.base.data());
                 for (index_t b : family.blocks) {
                   blocks_[at(b)].kernel.apply(micro_, kPanel * n_, s.base.data(), s.values.data());
                   f(first_panel_[at(b)] + item.panel, s.values.data(), s.tile.data());
                 }
               });
}

void KbpDictionary::fill_given(index_t panel, double* values) const {
  const ConstMatrixRef given = blocks_[at(block_of_panel_[at(panel)])].values;
  for (index_t r = 0; r < kPanel; ++r) {
    const index_t place = place_[at(panel * kPanel + r)];
    for (index_t i = 0; i < n_; ++i)
      values[i * kPanel + r] = place < 0 ? 0 : given(plan_.rows[at(i)], place);
  }
}

// Weighted mean and deviation (with n - 1, equation 9's columns standardised), from differences to
// the first value, which a nearly constant column survives.
void KbpDictionary::learn_moments(index_t panel, const double* values) {
  double sum[kPanel] = {}, square[kPanel] = {}, size[kPanel] = {};
  for (index_t i = 0; i < n_; ++i)
    for (index_t r = 0; r < kPanel; ++r) {
      const double v = values[i * kPanel + r] - values[r], w = plan_.weight[at(i)];
      sum[r] += w * v;
      square[r] += w * v * v;
      size[r] = std::max(size[r], std::abs(values[i * kPanel + r]));
    }
  const double n = static_cast<double>(n_);
  const bool intercept = blocks_[at(block_of_panel_[at(panel)])].intercept;
  for (index_t r = 0; r < kPanel; ++r) {
    const std::size_t j = at(panel * kPanel + r);
    if (intercept) {
      mean_[j] = -1;
      scale_[j] = role_[j] == Role::absent ? 0 : 1 / std::sqrt(n);
      continue;
    }
    const double deviation =
        std::sqrt(std::max(0.0, square[r] - sum[r] * sum[r] / n) / std::max(n - 1, 1.0));
    if (!std::isfinite(deviation)) throw Error("a kernel has values that are not finite");
    mean_[j] = values[r] + sum[r] / n;
    const bool varies = deviation > kConstant * size[r];
    scale_[j] = varies ? 1 / deviation : 0;
    if (!varies) role_[j] = Role::absent;
  }
}

void KbpDictionary::standardise(index_t panel, const double* values, float* tile) const {
  const double *mean = mean_.data() + panel * kPanel, *scale = scale_.data() + panel * kPanel;
  for (index_t i = 0; i < n_; ++i)
    for (index_t r = 0; r < kPanel; ++r)
      tile[i * kPanel + r] =
          static_cast<float>((values[i * kPanel + r] - mean[r]) * scale[r] * root_[at(i)]);
}

void KbpDictionary::raw_column(index_t j, bool held, double* out) const {
  const SourceBlock& b = blocks_[at(block(j))];
  const std::vector<index_t>& rows = held ? plan_.held : plan_.rows;
  const index_t n = static_cast<index_t>(rows.size());
  if (b.given()) {
    for (index_t i = 0; i < n; ++i) out[i] = b.values(rows[at(i)], place(j));
    return;
  }
  const Family& family = *families_[at(family_of_block_[at(block(j))])];
  const index_t d = family.center_view.cols(), number = j - first_panel_[at(block(j))] * kPanel;
  std::vector<double> center;
  for (index_t k = 0; k < d; ++k) center.push_back(family.center_view(number, k));
  const double* points = held ? family.held.data() : family.points.data();
  b.kernel.column(ConstMatrixRef(points, n, d), center.data(), micro_, out);
}

void KbpDictionary::column(index_t j, double* out) const {
  raw_column(j, false, out);
  for (index_t i = 0; i < n_; ++i) out[i] = (out[i] - mean_[at(j)]) * scale_[at(j)] * root_[at(i)];
}

void KbpDictionary::held_column(index_t j, double* out) const {
  raw_column(j, true, out);
  for (index_t i = 0; i < held_rows(); ++i) out[i] = (out[i] - mean_[at(j)]) * scale_[at(j)];
}

void KbpDictionary::correlate(const double* in, index_t cols, float* out, Context& context) {
  const index_t width = micro_.cols_f32, stride = size();
  std::vector<float> single(in, in + n_ * cols);
  const index_t wide = round_up(cols, width);
  Buffer<float> packed(wide * n_);
  pack_columns(single.data(), n_, cols, width, 0, n_, n_, packed.data());
  const auto product = [&](index_t panel, const float* tile) {
    std::vector<float> part(at(wide * kPanel));
    std::vector<double> sum(part.size(), 0.0);
    for (index_t k = 0; k < n_; k += kDepth) {
      std::fill(part.begin(), part.end(), 0.0f);
      update_panel(micro_, std::min(kDepth, n_ - k), tile + k * kPanel, packed.data() + k * width,
                   n_ * width, wide, part.data(), kPanel);
      for (std::size_t i = 0; i < part.size(); ++i) sum[i] += static_cast<double>(part[i]);
    }
    for (index_t c = 0; c < cols; ++c)
      for (index_t r = 0; r < kPanel; ++r)
        out[c * stride + panel * kPanel + r] = static_cast<float>(sum[at(c * kPanel + r)]);
  };
  if (!stored_) {
    for_panels(context, [&](index_t panel, const double* values, float* tile) {
      standardise(panel, values, tile);
      product(panel, tile);
    });
    return;
  }
  constexpr index_t kBatch = 16;  // panels that one work item covers
  const index_t panels = stride / kPanel;
  parallel_for((panels + kBatch - 1) / kBatch, threads_, context, [&](index_t item, int) {
    for (index_t p = item * kBatch; p < std::min(panels, (item + 1) * kBatch); ++p)
      product(p, store_.data() + p * kPanel * n_);
  });
}

double KbpDictionary::square(index_t j) const {
  return blocks_[at(block(j))].intercept ? 1 : static_cast<double>(std::max<index_t>(n_ - 1, 1));
}

index_t KbpDictionary::usable() const {
  return static_cast<index_t>(std::count(role_.begin(), role_.end(), Role::source));
}

}  // namespace flexkern
