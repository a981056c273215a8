#include "shared_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace flexkern {
namespace {

// Steps of conjugate gradients at most: where they do not suffice, rounding stops them.
constexpr int kSteps = 100;
// The shift lambda n_f may differ by this factor between folds that share a factor.
constexpr double kSameShift = 1.05;

float row_mask(const FoldPlan& plan, const std::vector<int>& folds, index_t i) {
  float mask = 0;
  for (int f : folds) mask = std::max(mask, plan.folds[static_cast<std::size_t>(f)].mask[i]);
  return mask;
}

std::vector<index_t> masked_rows(const FoldPlan& plan, const std::vector<int>& folds) {
  std::vector<index_t> rows;
  for (index_t i = 0; i < plan.n; ++i)
    if (row_mask(plan, folds, i) > 0) rows.push_back(i);
  return rows;
}

double cube(double n) { return n * n * n; }

double squared_norm(const std::vector<index_t>& rows, const float* v) {
  double sum = 0;
  for (index_t i : rows) sum += static_cast<double>(v[i]) * v[i];
  return sum;
}

}  // namespace

SharedFactor::SharedFactor(const FoldPlan& plan, std::vector<int> folds, const GramMatrix& gram,
                           const Micro& micro, int threads, Context& context)
    : plan_(plan),
      folds_(std::move(folds)),
      gram_(gram),
      micro_(micro),
      threads_(threads),
      context_(context),
      rows_(masked_rows(plan, folds_)) {
  for (index_t row : rows_) mask_.push_back(row_mask(plan, folds_, row));
  for (int f : folds_) {
    excluded_.emplace_back();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (plan.folds[static_cast<std::size_t>(f)].mask[rows_[i]] == 0)
        excluded_.back().push_back(static_cast<index_t>(i));
  }
}

bool SharedFactor::factor(double lambda) {
  double training = 0;
  for (int f : folds_) training += plan_.folds[static_cast<std::size_t>(f)].rows;
  if (!cholesky_)
    cholesky_ =
        std::make_unique<Cholesky>(static_cast<index_t>(rows_.size()), micro_, threads_, context_);
  gram_.submatrix(rows_, cholesky_->column(0), cholesky_->order());
  for (std::size_t j = 0; j < rows_.size(); ++j) {
    float* column = cholesky_->column(static_cast<index_t>(j));
    for (std::size_t i = j; i < rows_.size(); ++i) column[i] *= mask_[i] * mask_[j];
  }
  if (!cholesky_->factor(lambda * training / static_cast<double>(folds_.size()))) return false;
  if (!factor_)
    factor_ = std::make_unique<PackedFactor>(cholesky_->order(), micro_, threads_, context_);
  factor_->pack(*cholesky_);
  return true;
}

// All systems in the factor's coordinates: x = C (b + E z), and -x_f is the residual of z.
struct SharedFactor::Systems {
  index_t responses, count, order;
  Buffer<float> x, z, direction, work;
  std::vector<double> rr, limit;  // squared norms of the residuals, now and at the end
  std::vector<double> move;       // squared norm of the last step of z
  double tol = 0;
  const float* target = nullptr;

  Systems(index_t responses, index_t folds, index_t order)
      : responses(responses), count(folds * responses), order(order) {
    for (Buffer<float>* buffer : {&x, &z, &direction, &work}) {
      *buffer = Buffer<float>(order * count);
      std::fill_n(buffer->data(), order * count, 0.0f);
    }
    limit.assign(static_cast<std::size_t>(count), 0.0);
    move.assign(limit.size(), std::numeric_limits<double>::infinity());
  }
  std::size_t fold(index_t c) const { return static_cast<std::size_t>(c / responses); }
};

SharedFactor::Systems SharedFactor::start(const float* b, index_t responses) const {
  Systems systems(responses, static_cast<index_t>(folds_.size()), factor_->order());
  for (index_t c = 0; c < systems.count; ++c) {
    const float* column = b + (folds_[systems.fold(c)] * responses + c % responses) * plan_.stride;
    float *x = systems.x.data() + c * systems.order, *z = systems.z.data() + c * systems.order;
    for (std::size_t i = 0; i < rows_.size(); ++i) x[i] = column[rows_[i]];
    for (index_t i : excluded_[systems.fold(c)]) z[i] = x[i];
  }
  factor_->solve(systems.x.data(), systems.count);
  for (index_t c = 0; c < systems.count; ++c) {
    const auto& rows = excluded_[systems.fold(c)];
    const float* x = systems.x.data() + c * systems.order;
    for (index_t i : rows) systems.direction[c * systems.order + i] = -x[i];
    systems.rr.push_back(squared_norm(rows, x));
  }
  return systems;
}

void SharedFactor::solve(const float* b, index_t responses, double tol, float* u) const {
  Systems systems = start(b, responses);
  for (std::size_t c = 0; c < systems.rr.size(); ++c) systems.limit[c] = tol * tol * systems.rr[c];
  exclude(systems);
  scatter(systems, false, u);
}

void SharedFactor::predict(const float* b, index_t responses, double tol, const float* target,
                           float* u) const {
  Systems systems = start(b, responses);
  systems.tol = tol;
  systems.target = target;
  exclude(systems);
  scatter(systems, true, u);
}

// Conjugate gradients on C_ff z = -(C b)_f.
void SharedFactor::exclude(Systems& systems) const {
  const index_t order = systems.order;
  std::vector<index_t> active;
  for (int k = 0; k < kSteps; ++k) {
    active.clear();
    for (index_t c = 0; c < systems.count; ++c)
      if (systems.rr[static_cast<std::size_t>(c)] > systems.limit[static_cast<std::size_t>(c)])
        active.push_back(c);
    if (active.empty()) return;
    context_.check();
    float* work = systems.work.data();
    for (index_t c : active) {
      std::copy_n(systems.direction.data() + c * order, order, work);
      work += order;
    }
    factor_->solve(systems.work.data(), static_cast<index_t>(active.size()));
    for (std::size_t a = 0; a < active.size(); ++a)
      advance(systems, active[a], systems.work.data() + static_cast<index_t>(a) * order);
  }
}

// One step of system c; product = C E direction.
void SharedFactor::advance(Systems& systems, index_t c, const float* product) const {
  const auto& rows = excluded_[systems.fold(c)];
  float* x = systems.x.data() + c * systems.order;
  float* z = systems.z.data() + c * systems.order;
  float* direction = systems.direction.data() + c * systems.order;
  double& rr = systems.rr[static_cast<std::size_t>(c)];
  double curvature = 0;
  for (index_t i : rows) curvature += static_cast<double>(direction[i]) * product[i];
  if (!(curvature > 0)) {
    rr = 0;  // nothing but rounding is left
    return;
  }
  const double step = rr / curvature;
  const float alpha = static_cast<float>(step);
  for (index_t i = 0; i < systems.order; ++i) x[i] += alpha * product[i];
  for (index_t i : rows) z[i] += alpha * direction[i];
  const double move = step * step * squared_norm(rows, direction);
  const double next = squared_norm(rows, x);
  const float beta = static_cast<float>(next / rr);
  for (index_t i : rows) direction[i] = beta * direction[i] - x[i];
  const bool done = systems.target && close(systems, c, move);
  systems.move[static_cast<std::size_t>(c)] = move;
  rr = done ? 0 : next;
}

// Whether this step and the last one moved z by little, compared with its distance from the target.
bool SharedFactor::close(const Systems& systems, index_t c, double move) const {
  const std::size_t fold = systems.fold(c);
  const index_t column = folds_[fold] * systems.responses + c % systems.responses;
  const float* target = systems.target + column * plan_.stride;
  const float* z = systems.z.data() + c * systems.order;
  double distance = 0;
  for (index_t i : excluded_[fold]) {
    const double error = z[i] - target[rows_[static_cast<std::size_t>(i)]];
    distance += error * error;
  }
  const double moved = move + systems.move[static_cast<std::size_t>(c)];
  return moved <= systems.tol * systems.tol * distance;
}

void SharedFactor::scatter(const Systems& systems, bool with_z, float* u) const {
  for (index_t c = 0; c < systems.count; ++c) {
    const std::size_t fold = systems.fold(c);
    float* out = u + (folds_[fold] * systems.responses + c % systems.responses) * plan_.stride;
    const float* x = systems.x.data() + c * systems.order;
    const float* z = systems.z.data() + c * systems.order;
    std::fill_n(out, plan_.stride, 0.0f);
    for (std::size_t i = 0; i < rows_.size(); ++i) out[rows_[i]] = x[i];
    for (index_t i : excluded_[fold]) out[rows_[static_cast<std::size_t>(i)]] = with_z ? z[i] : 0;
  }
}

std::vector<std::vector<int>> factor_groups(const FoldPlan& plan, index_t responses, double steps) {
  std::vector<int> all(plan.folds.size());
  std::iota(all.begin(), all.end(), 0);
  double apart = 0, least = std::numeric_limits<double>::infinity(), most = 0;
  for (const Fold& fold : plan.folds) {
    apart += cube(fold.size) / 3;
    least = std::min(least, fold.rows);
    most = std::max(most, fold.rows);
  }
  const double rows = static_cast<double>(masked_rows(plan, all).size());
  const double systems = static_cast<double>(responses) * static_cast<double>(all.size());
  const double together = cube(rows) / 3 + steps * 2 * rows * rows * systems;
  if (all.size() > 1 && together < apart && most <= kSameShift * least) return {all};
  std::vector<std::vector<int>> groups;
  for (std::size_t f = 0; f < plan.folds.size(); ++f) groups.push_back({static_cast<int>(f)});
  return groups;
}

double factor_cost(const FoldPlan& plan, const std::vector<std::vector<int>>& groups) {
  double cost = 0;
  for (const auto& group : groups)
    cost += cube(static_cast<double>(masked_rows(plan, group).size())) / 3;
  return cost;
}

}  // namespace flexkern
