#include "hg_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/rng.h"

namespace flexkern {

std::vector<std::vector<index_t>> learning_parts(index_t n, std::uint64_t seed,
                                                 std::uint64_t item) {
  if (n < 9) return {};
  std::vector<index_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), index_t{0});
  Rng(seed, stream::kWeights + item).shuffle(order);
  const auto a = order.begin() + 4 * n / 9, b = a + std::max<index_t>(2, 2 * n / 9);
  return {{order.begin(), a}, {a, b}, {b, order.end()}};
}

HgRows::HgRows(const HgData& data, const std::vector<index_t>& rows)
    : size(static_cast<index_t>(rows.size())), columns(data.x.cols()), responses(data.y.cols()) {
  for (index_t k = 0; k < columns; ++k)
    for (const index_t i : rows) values.push_back(data.x(i, k));
  for (index_t c = 0; c < responses; ++c)
    for (const index_t i : rows) labels.push_back(data.y(i, c));
  for (const index_t i : rows) weights.push_back(data.weights[static_cast<std::size_t>(i)]);
}

namespace {

std::vector<index_t> joined(const std::vector<index_t>& a, const std::vector<index_t>& b) {
  std::vector<index_t> out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

HgParts::HgParts(const HgData& data, const HgOptions& options, const Device& device,
                 std::uint64_t item, Context& context)
    : options_(options),
      device_(device),
      item_(item),
      context_(context),
      parts_(learning_parts(data.x.rows(), context.seed, item)),
      train_(static_cast<index_t>(parts_[0].size())),
      learning_(data, joined(parts_[0], parts_[1])),
      test_(data, parts_[2]) {}

Loss HgParts::loss(index_t response) const {
  return options_.cell.losses.empty() ? Loss()
                                      : options_.cell.losses[static_cast<std::size_t>(response)];
}

// A context of its own keeps the machines' progress apart; interrupts pass.
HgMachine HgParts::fit(const Hierarchy& hierarchy, const CellOptions& options) const {
  Context inner;
  inner.threads = context_.threads;
  inner.seed = context_.seed;
  inner.memory = context_.memory;
  inner.poll = [this] { context_.check(); };
  const CellData data{Points(learning_.x()).under(&hierarchy),
                      learning_.y(),
                      learning_.weights,
                      std::vector<int>(static_cast<std::size_t>(learning_.size), 0),
                      0,
                      ConstMatrixRef(nullptr, 0, 0)};
  const CellFit fit = fit_cell(data, options, device_, item_, inner.threads, inner);
  HgMachine out{fit.choice.gamma, fit.choice.lambda, {}, fit.intercept};
  for (index_t c = 0; c < learning_.responses; ++c) {
    const double* from = fit.coef.data() + c * learning_.size;
    out.coef.insert(out.coef.end(), from, from + train_);
  }
  return out;
}

HgMachine HgParts::search(const Hierarchy& hierarchy) const {
  CellOptions options = options_.cell;
  options.split = true;
  options.train = train_;
  return fit(hierarchy, options);
}

HgMachine HgParts::solve(const Hierarchy& hierarchy, double gamma, double lambda) const {
  CellOptions options = options_.cell;
  options.split = true;
  options.train = train_;
  options.gammas = {gamma};
  options.lambdas = {lambda};
  options.costs.clear();
  return fit(hierarchy, options);
}

double HgParts::risk(const HgRows& rows, index_t first, ConstMatrixRef decision,
                     bool clipped) const {
  double sum = 0, total = 0;
  for (index_t c = 0; c < rows.responses; ++c) {
    const Loss of = loss(c);
    for (index_t i = 0; i < decision.rows(); ++i) {
      const double w = rows.weights[static_cast<std::size_t>(first + i)], t = decision(i, c);
      sum += w * of(rows.y()(first + i, c), clipped ? options_.cell.search.clip(t) : t);
      total += w;
    }
  }
  return sum / total;
}

double HgParts::validation_risk(ConstMatrixRef decision, bool clipped) const {
  return risk(learning_, train_, decision, clipped);
}

double HgParts::test_risk(const Hierarchy& hierarchy, const HgMachine& machine) const {
  std::vector<double> decision(static_cast<std::size_t>(test_.size * test_.responses));
  Kernel kernel;
  kernel.gamma = machine.gamma;
  const MatrixRef out(decision.data(), test_.size, test_.responses);
  device_.expand(Points(test_.x()).under(&hierarchy), Points(train_x()).under(&hierarchy), kernel,
                 {machine.coef.data(), train_, test_.responses}, out, context_.threads, context_);
  for (index_t c = 0; c < test_.responses; ++c)
    for (index_t i = 0; i < test_.size; ++i)
      out(i, c) += machine.intercept[static_cast<std::size_t>(c)];
  return risk(test_, 0, out, true);
}

std::vector<double> HgParts::slopes(ConstMatrixRef decision) const {
  std::vector<double> out;
  double total = 0;
  for (index_t c = 0; c < decision.cols(); ++c) {
    const Loss of = loss(c);
    for (index_t i = 0; i < decision.rows(); ++i) {
      const double w = learning_.weights[static_cast<std::size_t>(train_ + i)];
      out.push_back(w * of.slope(learning_.y()(train_ + i, c), decision(i, c)));
      total += w;
    }
  }
  for (double& s : out) s /= total;
  return out;
}

Hierarchy absorb_gamma(Hierarchy hierarchy, double gamma) {
  for (double& w : hierarchy.nodes.back().weights) w *= std::sqrt(gamma);
  return hierarchy;
}

}  // namespace flexkern
