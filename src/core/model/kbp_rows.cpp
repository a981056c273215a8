#include "kbp_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/weights.h"

namespace flexkern {
namespace {

std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

RowPlan make_plan(const KbpData& data, const std::vector<int>& fold, int left_out) {
  RowPlan plan;
  for (index_t i = 0; i < data.x.rows(); ++i) {
    if (data.weights[at(i)] <= 0) continue;
    if (left_out >= 0 && fold[at(i)] == left_out) {
      plan.held.push_back(i);
      continue;
    }
    plan.rows.push_back(i);
    plan.weight.push_back(data.weights[at(i)]);
  }
  const auto rows = static_cast<index_t>(plan.rows.size());
  balance(plan.weight.data(), rows, rows);
  return plan;
}

}  // namespace

PursuedRows::PursuedRows(const KbpData& data, const KbpOptions& options, int left_out,
                         double memory, int threads, const Micro& micro, Context& context)
    : data_(data),
      options_(options),
      context_(context),
      plan_(make_plan(data, options.fold, left_out)),
      dictionary_(data.x, data.blocks, plan_, memory, threads, micro, context),
      cache_(dictionary_, 0.3 * memory) {}

std::unique_ptr<PursuedRows::Way> PursuedRows::set_out(index_t response, PathOptions options) {
  auto way = std::make_unique<Way>();
  const double mean = this->mean(response);
  for (std::size_t i = 0; i < plan_.rows.size(); ++i)
    way->response.push_back(std::sqrt(plan_.weight[i]) * (data_.y(plan_.rows[i], response) - mean));
  for (index_t i : plan_.held) {
    way->held.response.push_back(data_.y(i, response) - mean);
    way->held.weight.push_back(data_.weights[at(i)]);
  }
  way->options = std::move(options);
  way->options.order = time_order();
  way->options.lags = options_.stop == KbpOptions::Stop::whiteness ? options_.lags : 0;
  way->follower = make_follower(cache_, way->response, way->options,
                                plan_.held.empty() ? nullptr : &way->held, context_);
  return way;
}

Path PursuedRows::follow(index_t response, const PathOptions& options) {
  const auto way = set_out(response, options);
  way->follower->advance(options.max_steps);
  return way->follower->finish();
}

std::vector<double> PursuedRows::predict_held(const std::vector<index_t>& sources,
                                              const std::vector<double>& coef) const {
  std::vector<double> out(plan_.held.size(), 0.0), column(out.size());
  for (std::size_t k = 0; k < sources.size(); ++k) {
    dictionary_.held_column(sources[k], column.data());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += coef[k] * column[i];
  }
  return out;
}

double PursuedRows::mean(index_t response) const {
  if (!options_.center) return 0;
  const double first = data_.y(plan_.rows[0], response);
  double sum = 0;
  for (std::size_t i = 0; i < plan_.rows.size(); ++i)
    sum += plan_.weight[i] * (data_.y(plan_.rows[i], response) - first);
  return first + sum / static_cast<double>(plan_.rows.size());
}

std::vector<index_t> PursuedRows::time_order() const {
  std::vector<index_t> order(plan_.rows.size());
  std::iota(order.begin(), order.end(), 0);
  if (!options_.order.empty())
    std::stable_sort(order.begin(), order.end(), [&](index_t a, index_t b) {
      return options_.order[at(plan_.rows[at(a)])] < options_.order[at(plan_.rows[at(b)])];
    });
  return order;
}

}  // namespace flexkern
