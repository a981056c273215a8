#include "mhks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridge_view.h"

namespace flexkern {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kColumns = 27;  // penalties that advance as one block

std::vector<Ridge> ridges_of(const std::vector<Penalty>& penalties, std::size_t views) {
  const double m = static_cast<double>(views);
  std::vector<Ridge> out;
  for (const Penalty& p : penalties) out.push_back({1 + p.lambda * (m - 1) / m, p.c});
  return out;
}

// Columns `kept` to the front, the others away.
void keep_columns(MatrixXd& m, const std::vector<index_t>& kept) {
  for (std::size_t k = 0; k < kept.size(); ++k)
    if (kept[k] != static_cast<index_t>(k)) m.col(static_cast<index_t>(k)) = m.col(kept[k]);
  m.conservativeResize(Eigen::NoChange, static_cast<index_t>(kept.size()));
}

}  // namespace

MhksProblem::MhksProblem(const std::vector<const PackedMatrix*>& views, const VectorXd& sign,
                         const VectorXd& weights, Context& context)
    : views_(views), sign_(sign), weights_(weights), total_(weights.sum()), context_(context) {
  for (const PackedMatrix* view : views) {
    mean_.push_back(view->transposed_times(weights) / std::max(total_, 1e-300));
    gram_.push_back(view->gram(weights));
    gram_.back().noalias() -= total_ * mean_.back() * mean_.back().transpose();
  }
}

// Some penalties side by side, one a column.
class MhksRun {
 public:
  MhksRun(const MhksProblem& problem, const std::vector<RidgeView>& systems,
          const std::vector<Penalty>& penalties, const MhksOptions& options,
          std::vector<std::size_t> which, std::vector<MhksModel>& models)
      : p_(problem),
        systems_(systems),
        penalties_(penalties),
        options_(options),
        live_(std::move(which)),
        models_(models) {
    const index_t n = p_.sign_.size(), q = static_cast<index_t>(live_.size());
    for (std::size_t l = 0; l < p_.views_.size(); ++l) {
      mean_.push_back(systems_[l].turned(p_.mean_[l]));
      margin_.push_back(MatrixXd::Constant(n, q, options.start));
      value_.push_back(MatrixXd::Zero(n, q));
      coef_.push_back(MatrixXd::Zero(p_.views_[l]->cols(), q));
      bias_.push_back(Eigen::RowVectorXd::Zero(q));
    }
  }

  // Table 1 of the paper.
  void run() {
    value_[0] = updated_values(0, value_[0]);
    for (index_t k = 1; k <= options_.max_iter && !live_.empty(); ++k) {
      if (k > 1) {
        for (std::size_t l = 0; l < value_.size(); ++l) update_margins(l);
        update_views();
      }
      p_.context_.check();
      retire();
    }
    for (std::size_t k = 0; k < live_.size(); ++k) store(static_cast<index_t>(k));
  }

 private:
  MatrixXd sum_of_values() const {
    MatrixXd sum = value_[0];
    for (std::size_t l = 1; l < value_.size(); ++l) sum += value_[l];
    return sum;
  }

  // Equations (14) and (15): b + rho (e + |e|) with e = g - 1 - b; or the minimiser, (g - 1)_+.
  void update_margins(std::size_t l) {
    for (index_t k = 0; k < margin_[l].cols(); ++k) {
      auto b = margin_[l].col(k).array();
      const Eigen::ArrayXd g = p_.sign_.array() * value_[l].col(k).array();
      if (options_.exact)
        b = (g - 1).max(0.0);
      else
        b += 2 * options_.rho * (g - 1 - b).max(0.0);
    }
  }

  void update_views() {
    if (options_.sequential) {
      for (std::size_t l = 0; l < value_.size(); ++l)
        value_[l] = updated_values(l, sum_of_values());
      return;
    }
    const MatrixXd sum = sum_of_values();
    std::vector<MatrixXd> next;
    for (std::size_t l = 0; l < value_.size(); ++l) next.push_back(updated_values(l, sum));
    value_ = std::move(next);
  }

  // Equation (13), the bias eliminated; `sum` adds up the values of all views.
  MatrixXd updated_values(std::size_t l, const MatrixXd& sum) {
    const double m = static_cast<double>(value_.size());
    MatrixXd target(sum.rows(), sum.cols());
    for (index_t k = 0; k < sum.cols(); ++k)
      target.col(k) =
          p_.weights_.array() * (p_.sign_.array() * (1 + margin_[l].col(k).array()) +
                                 penalty(k).lambda / m * (sum.col(k) - value_[l].col(k)).array());
    const Eigen::RowVectorXd total = target.colwise().sum();
    const PackedMatrix& features = systems_[l].features();
    MatrixXd right = features.transposed_times(target);
    right.noalias() -= mean_[l] * total;
    coef_[l] = systems_[l].solve(right, live_);
    for (index_t k = 0; k < sum.cols(); ++k) {
      const double scale = (1 + penalty(k).lambda * (m - 1) / m) * p_.total_;
      bias_[l][k] = total[k] / std::max(scale, 1e-300) - mean_[l].dot(coef_[l].col(k));
    }
    MatrixXd values = features.times(coef_[l]);
    values.rowwise() += bias_[l];
    return values;
  }

  // Equation (12).
  double objective(index_t k) const {
    const double m = static_cast<double>(value_.size());
    Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(p_.sign_.size());
    for (const MatrixXd& v : value_) mean += v.col(k).array() / m;
    double sum = 0;
    for (std::size_t l = 0; l < value_.size(); ++l) {
      const Eigen::ArrayXd f = value_[l].col(k).array();
      const Eigen::ArrayXd e = p_.sign_.array() * f - 1 - margin_[l].col(k).array();
      sum += (p_.weights_.array() * (e.square() + penalty(k).lambda * (f - mean).square())).sum();
      sum += penalty(k).c * coef_[l].col(k).squaredNorm();
    }
    return sum;
  }

  // Notes the objective and lets go of the columns that have converged.
  void retire() {
    std::vector<index_t> kept;
    std::vector<std::size_t> still;
    for (std::size_t k = 0; k < live_.size(); ++k) {
      MhksModel& model = models_[live_[k]];
      model.objective.push_back(objective(static_cast<index_t>(k)));
      model.converged = has_settled(model.objective);
      if (model.converged) {
        store(static_cast<index_t>(k));
      } else {
        kept.push_back(static_cast<index_t>(k));
        still.push_back(live_[k]);
      }
    }
    if (kept.size() == live_.size()) return;
    live_ = still;
    for (std::size_t l = 0; l < value_.size(); ++l) {
      keep_columns(margin_[l], kept);
      keep_columns(value_[l], kept);
      keep_columns(coef_[l], kept);
      bias_[l].conservativeResize(static_cast<index_t>(kept.size()));
    }
  }

  bool has_settled(const std::vector<double>& trace) const {
    if (trace.size() < 2) return false;
    const double last = trace.back(), before = trace[trace.size() - 2];
    const double unit = options_.absolute ? 1 : std::max(1.0, std::abs(before));
    return std::abs(last - before) <= options_.xi * unit;
  }

  void store(index_t k) {
    MhksModel& model = models_[live_[static_cast<std::size_t>(k)]];
    model.decision = VectorXd::Zero(p_.sign_.size());
    for (std::size_t l = 0; l < value_.size(); ++l) {
      model.coef.push_back(systems_[l].restored(coef_[l].col(k)));
      model.bias.push_back(bias_[l][k]);
      model.decision += value_[l].col(k) / static_cast<double>(value_.size());
    }
  }

  const Penalty& penalty(index_t k) const { return penalties_[live_[static_cast<std::size_t>(k)]]; }

  const MhksProblem& p_;
  const std::vector<RidgeView>& systems_;
  const std::vector<Penalty>& penalties_;
  const MhksOptions& options_;
  std::vector<std::size_t> live_;
  std::vector<MhksModel>& models_;
  std::vector<VectorXd> mean_;  // of the features
  std::vector<MatrixXd> margin_, value_, coef_;
  std::vector<Eigen::RowVectorXd> bias_;
};

std::vector<MhksModel> MhksProblem::solve(const std::vector<Penalty>& penalties,
                                          const MhksOptions& options) const {
  const std::vector<Ridge> ridges = ridges_of(penalties, views_.size());
  std::vector<RidgeView> systems;
  for (std::size_t l = 0; l < views_.size(); ++l)
    systems.emplace_back(*views_[l], gram_[l], ridges, context_);
  std::vector<MhksModel> models(penalties.size());
  for (std::size_t first = 0; first < penalties.size(); first += kColumns) {
    std::vector<std::size_t> which(std::min(kColumns, penalties.size() - first));
    std::iota(which.begin(), which.end(), first);
    MhksRun(*this, systems, penalties, options, which, models).run();
  }
  return models;
}

}  // namespace flexkern
