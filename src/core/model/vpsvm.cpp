#include "vpsvm.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "assign.h"
#include "core/base/parallel.h"

namespace flexkern {
namespace {

using Rows = std::vector<index_t>;

template <typename T>
std::vector<T> select(const std::vector<T>& values, const Rows& rows) {
  std::vector<T> out;
  for (index_t i : rows) out.push_back(values[static_cast<std::size_t>(i)]);
  return out;
}

// The last `margin` of the rows are the margin.
CellFit fit_rows(const CellData& data, const Rows& rows, index_t margin, const CellOptions& options,
                 const Device& device, std::uint64_t item, int threads, Context& context) {
  const ChosenPoints x(data.x, rows), y(data.y, rows);
  const ChosenPoints w(data.response_weights, data.response_weights.cols() > 0 ? rows : Rows());
  const CellData cell{
      x.points(), y.points().dense(), select(data.weights, rows), select(data.strata, rows),
      margin,     w.points().dense()};
  return fit_cell(cell, options, device, item, threads, context);
}

// How many of a cell's rows train where all rows were split at once, the first half of them
// training (Eberts and Steinwart, section 5). The own rows are in rising order.
index_t training_rows(const Rows& rows, index_t margin, index_t all) {
  return std::lower_bound(rows.begin(), rows.end() - margin, all / 2 + 1) - rows.begin();
}

// Which cells are fitted alone with all threads (the first `alone` of the order, the largest ones)
// and how many of the others at a time.
struct Schedule {
  std::vector<std::size_t> order;
  std::size_t alone = 0;
  int crew = 1;
  double bytes = 0;
  CellOptions options;  // within the budget
};

class Scheduler {
 public:
  Scheduler(const std::vector<Rows>& rows, const std::vector<index_t>& margins,
            const CellData& data, const CellOptions& options, const Device& device,
            const Context& context)
      : rows_(rows),
        margins_(margins),
        data_(data),
        options_(options),
        device_(device),
        context_(context) {}

  Schedule run() {
    schedule_.options = options_;
    schedule_.order.resize(rows_.size());
    std::iota(schedule_.order.begin(), schedule_.order.end(), std::size_t{0});
    std::stable_sort(
        schedule_.order.begin(), schedule_.order.end(),
        [&](std::size_t a, std::size_t b) { return rows_[a].size() > rows_[b].size(); });
    fit_budget();
    choose_alone();
    choose_crew();
    return schedule_;
  }

 private:
  index_t size(std::size_t at) const {
    return static_cast<index_t>(rows_[schedule_.order[at]].size());
  }
  double work(std::size_t at) const {
    const double n = static_cast<double>(size(at));
    return n * n;
  }
  double bytes(std::size_t at) const {
    const CellOptions& options = schedule_.options;
    const index_t margin = margins_.empty() ? 0 : margins_[schedule_.order[at]];
    const index_t d = values_per_row(), responses = data_.y.cols();
    const bool factors = options.search.direct;
    const double own = cell_bytes(size(at) - margin, d, responses, options, device_, factors);
    if (margin == 0) return own;
    return std::max(own, margin_bytes(size(at), d, responses, options, device_, factors));
  }
  // Does without factorisations if the largest cell does not fit the budget, and then without a
  // part of its Gram matrix if it is a large one: at least a quarter must fit, since every product
  // computes the rest again.
  void fit_budget() {
    CellOptions& options = schedule_.options;
    if (bytes(0) > context_.memory) options.search.direct = false;
    const double all = device_.compact_gram_bytes(size(0));
    if (bytes(0) > context_.memory && size(0) > options.search_rows) {
      options.gram_bytes = 0;
      options.gram_bytes = std::max(all / 4, context_.memory - bytes(0));
    }
    schedule_.bytes = bytes(0);
    if (schedule_.bytes > context_.memory)
      throw over_budget("a cell of " + std::to_string(size(0)) + " rows", schedule_.bytes,
                        context_.memory);
  }
  // In doubles; the number of columns if the points are dense.
  index_t values_per_row() const {
    return static_cast<index_t>(
        std::ceil(data_.x.bytes() / (sizeof(double) * static_cast<double>(data_.x.rows()))));
  }
  // A cell that would keep one thread busy longer than the others keep the rest is fitted with all
  // of them.
  void choose_alone() {
    double rest = 0;
    for (std::size_t at = 0; at < rows_.size(); ++at) rest += work(at);
    while (schedule_.alone < rows_.size()) {
      if (context_.threads > 1 && work(schedule_.alone) * context_.threads <= rest) break;
      rest -= work(schedule_.alone++);
    }
  }
  void choose_crew() {
    double beside = 0;
    int crew = 0;
    for (std::size_t at = schedule_.alone; at < rows_.size() && crew < context_.threads; ++at) {
      if (beside + bytes(at) > context_.memory) break;
      beside += bytes(at);
      ++crew;
    }
    schedule_.crew = std::max(1, crew);
    schedule_.bytes = std::max(schedule_.bytes, beside);
  }

  const std::vector<Rows>& rows_;
  const std::vector<index_t>& margins_;
  const CellData& data_;
  const CellOptions& options_;
  const Device& device_;
  const Context& context_;
  Schedule schedule_;
};

std::string phase(std::size_t cells, double bytes) {
  char text[96];
  std::snprintf(text, sizeof text, "fit, %zu %s, %.3g GB of memory", cells,
                cells == 1 ? "cell" : "cells", bytes / 1e9);
  return text;
}

}  // namespace

std::vector<Rows> rows_by_cell(const std::vector<std::int32_t>& cell) {
  std::vector<Rows> rows;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    const std::size_t c = static_cast<std::size_t>(cell[i]);
    if (c >= rows.size()) rows.resize(c + 1);
    rows[c].push_back(static_cast<index_t>(i));
  }
  return rows;
}

std::vector<CellFit> fit_cells(const CellData& data, const std::vector<Rows>& rows,
                               const std::vector<index_t>& margins, const CellOptions& options,
                               const Device& device, Context& context, double& bytes) {
  require(margins.empty() || margins.size() == rows.size(), "each cell needs a margin");
  const auto margin = [&](std::size_t c) { return margins.empty() ? 0 : margins[c]; };
  const Schedule schedule = Scheduler(rows, margins, data, options, device, context).run();
  bytes = schedule.bytes;
  std::vector<CellFit> fits(rows.size());
  double work = 0;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const double own = static_cast<double>(static_cast<index_t>(rows[c].size()) - margin(c));
    work += own * own;
  }
  context.start_phase(phase(rows.size(), bytes), work);
  const auto fit = [&](std::size_t at, int threads) {
    const std::size_t c = schedule.order[at];
    CellOptions own = schedule.options;
    if (own.split && !own.split_cells) own.train = training_rows(rows[c], margin(c), data.x.rows());
    fits[c] = fit_rows(data, rows[c], margin(c), own, device, c, threads, context);
  };
  for (std::size_t at = 0; at < schedule.alone; ++at) fit(at, context.threads);
  parallel_for(static_cast<index_t>(rows.size() - schedule.alone), schedule.crew, context,
               [&](index_t i, int) { fit(schedule.alone + static_cast<std::size_t>(i), 1); });
  return fits;
}

namespace {

// The decision values of some rows, and the squares of what they are known to.
struct Values {
  std::vector<double> decision, limit;
};

// Of cell c, rows x responses.
Values predict_cell(const VpModel& model, std::size_t c, const Points& x, const Device& device,
                    Context& context) {
  const index_t first = model.offset[c], count = model.offset[c + 1] - first;
  const index_t n = x.rows(), responses = model.coef.cols();
  const Kernel kernel = model.kernel.with_gamma(model.gamma[c]);
  const Points vectors = model.vectors.middle(first, count);
  Values out;
  out.decision.resize(static_cast<std::size_t>(n * responses));
  const MatrixRef decision(out.decision.data(), n, responses);
  device.expand(x, vectors, kernel,
                {model.coef.data() + first, count, responses, model.coef.stride()}, decision,
                context.threads, context);
  for (index_t r = 0; r < responses; ++r)
    for (index_t i = 0; i < n; ++i) decision(i, r) += model.intercept(static_cast<index_t>(c), r);
  if (model.labels == Labels::none) return out;
  const std::vector<double> size = kernel_sizes(x, kernel, device);
  const std::vector<double> vector_size = kernel_sizes(vectors, kernel, device);
  for (index_t r = 0; r < responses; ++r) {
    const double known = resolution(model.coef.col(r) + first, count, vector_size);
    for (index_t i = 0; i < n; ++i) {
      const double limit = known * size[static_cast<std::size_t>(i)];
      out.limit.push_back(limit * limit);
    }
  }
  return out;
}

// Of all rows, with ties settled.
void settle_rows(const VpModel& model, const std::vector<double>& squares, MatrixRef out) {
  if (model.labels == Labels::none) return;
  const index_t responses = out.cols();
  std::vector<double> decision(static_cast<std::size_t>(responses)), limit(decision.size());
  for (index_t i = 0; i < out.rows(); ++i) {
    for (index_t r = 0; r < responses; ++r) {
      decision[static_cast<std::size_t>(r)] = out(i, r);
      limit[static_cast<std::size_t>(r)] =
          std::sqrt(squares[static_cast<std::size_t>(r * out.rows() + i)]);
    }
    settle_ties(model.labels, limit, decision);
    for (index_t r = 0; r < responses; ++r) out(i, r) = decision[static_cast<std::size_t>(r)];
  }
}

}  // namespace

void predict_cells(const VpModel& model, const Points& x, const Device& device, MatrixRef out,
                   Context& context) {
  const index_t n = x.rows(), responses = out.cols();
  const std::size_t cells = model.gamma.size();
  require(model.offset.size() == cells + 1 && model.offset.back() <= model.vectors.rows(),
          "the offsets of the model do not match its support vectors");
  const bool mean = model.centers.rows() == 0;
  std::vector<Rows> rows(cells);
  if (!mean) {
    const auto nearest = assign(x, model.centers, context);
    for (index_t i = 0; i < n; ++i) {
      const auto center = static_cast<std::size_t>(nearest[static_cast<std::size_t>(i)]);
      const auto cell = static_cast<std::size_t>(model.cell_of_center[center]);
      require(cell < cells, "a center of the model belongs to no cell");
      rows[cell].push_back(i);
    }
  }
  Rows all(static_cast<std::size_t>(mean ? n : 0));
  std::iota(all.begin(), all.end(), index_t{0});
  for (index_t r = 0; r < responses; ++r) std::fill_n(out.col(r), n, 0.0);
  std::vector<double> squares(
      static_cast<std::size_t>(model.labels == Labels::none ? 0 : n * responses), 0.0);
  const double share = mean ? 1.0 / static_cast<double>(cells) : 1.0;
  context.start_phase("prediction", static_cast<double>(cells));
  for (std::size_t c = 0; c < cells; ++c) {
    const Rows& chosen = mean ? all : rows[c];
    const ChosenPoints points(x, chosen);
    const Values values = predict_cell(model, c, points.points(), device, context);
    for (index_t r = 0; r < responses; ++r)
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const std::size_t from = static_cast<std::size_t>(r) * chosen.size() + i;
        out(chosen[i], r) += share * values.decision[from];
        if (squares.empty()) continue;
        squares[static_cast<std::size_t>(r * n + chosen[i])] += share * share * values.limit[from];
      }
    context.advance(1);
  }
  settle_rows(model, squares, out);
}

}  // namespace flexkern
