#include "mekl_solver.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<index_t>;

// Of SVM-2K while penalties are compared: the duality gap, and the squared distance from the span
// of the leading features that rows may have, times the largest penalty.
constexpr double kDraftGap = 1e-2, kDraftRank = 0.016;

MatrixXd gather(ConstMatrixRef x, const Rows& rows, const Rows& columns) {
  MatrixXd out(rows.size(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = 0; i < rows.size(); ++i)
      out(static_cast<index_t>(i), static_cast<index_t>(j)) = x(rows[i], columns[j]);
  return out;
}

// Equal rows have no distance: any width is as good as another.
double width_gamma(const MeklKernel& kernel, const MatrixXd& x, const Micro& micro,
                   Context& context) {
  if (kernel.width == MeklKernel::Width::given) return kernel.kernel.gamma;
  const double s = mean_distance(x, micro, context);
  if (!(s > 0)) return 1;
  return kernel.width == MeklKernel::Width::square ? 1 / (2 * s * s) : 1 / (2 * s);
}

ViewGram view_gram(const MeklData& data, const MeklKernel& kernel, const Rows& rows,
                   const Micro& micro, double& gamma, Context& context) {
  if (kernel.values.rows() > 0) return ViewGram(gather(kernel.values, rows, rows));
  MatrixXd x = gather(data.x, rows, kernel.columns);
  gamma = width_gamma(kernel, x, micro, context);
  return {std::move(x), kernel.kernel.with_gamma(gamma), micro};
}

// The number of monomials of a polynomial kernel; 0 where there is no bound.
index_t rank_bound(const MeklKernel& kernel) {
  const double d = static_cast<double>(kernel.columns.size());
  if (kernel.values.rows() > 0 || kernel.kernel.type == Kernel::Type::radial) return 0;
  if (kernel.kernel.type == Kernel::Type::linear) return static_cast<index_t>(d);
  double bound = 1;
  for (int k = 1; k <= kernel.kernel.degree; ++k) bound *= (d + k) / k;
  return bound < 1e9 ? static_cast<index_t>(std::round(bound)) : 0;
}

// Coupled MHKS on orthonormal maps. Features are centered by their mean, for accuracy.
class MhksSolver : public MeklSolver {
 public:
  MhksSolver(const MeklData& data, const MeklOptions& options, const Rows& rows, std::uint64_t item,
             const Micro& micro, int threads, Context& context)
      : options_(options), context_(context) {
    for (std::size_t k = 0; k < data.kernels.size(); ++k) {
      const MeklKernel& kernel = data.kernels[k];
      double gamma = kernel.kernel.gamma;
      const ViewGram gram = view_gram(data, kernel, rows, micro, gamma, context);
      BasisOptions basis = options.basis;
      basis.known_bound = rank_bound(kernel);
      Rng rng(context.seed, stream::kBasis + item * data.kernels.size() + k);
      EmpiricalMap map = empirical_map(gram, basis, rng, threads, context);
      if (map.features.cols() == 0) map.basis.clear();
      views_.push_back({static_cast<index_t>(k), map.rank, gamma, map.indefinite, map.basis, {}});
      if (map.features.cols() == 0) continue;
      mean_.push_back(map.features.colwise().mean());
      map.features.rowwise() -= mean_.back().transpose();
      features_.push_back(std::make_unique<PackedMatrix>(map.features, micro, threads, context));
      transform_.push_back(std::move(map.transform));
    }
  }

  void set_threads(int threads) override {
    for (auto& f : features_) f->set_threads(threads);
  }

  std::vector<MeklModel> solve(const VectorXd& sign, const VectorXd& weights,
                               const std::vector<MeklPair>& pairs, bool) const override {
    std::vector<const PackedMatrix*> views;
    for (const auto& f : features_) views.push_back(f.get());
    std::vector<Penalty> penalties;
    for (const MeklPair& p : pairs) penalties.push_back({p.first, p.second});
    const MhksProblem problem(views, sign, weights, context_);
    std::vector<MeklModel> out;
    for (MhksModel& m : problem.solve(penalties, options_.mhks)) out.push_back(in_kernels(m));
    return out;
  }

 private:
  // F = mean over the views of Psi' w + bias, Psi = T' k.
  MeklModel in_kernels(MhksModel& m) const {
    MeklModel out;
    const double share = 1 / static_cast<double>(features_.size());
    std::size_t used = 0;
    for (const MeklView& view : views_) {
      out.coef.push_back(VectorXd::Zero(static_cast<index_t>(view.basis.size())));
      if (view.basis.empty()) continue;
      out.coef.back() = share * (transform_[used] * m.coef[used]);
      out.intercept += share * (m.bias[used] - mean_[used].dot(m.coef[used]));
      ++used;
    }
    out.objective = std::move(m.objective);
    out.converged = m.converged;
    out.decision = std::move(m.decision);
    return out;
  }

  const MeklOptions& options_;
  Context& context_;
  std::vector<std::unique_ptr<PackedMatrix>> features_;  // of the views with a basis
  std::vector<VectorXd> mean_;
  std::vector<MatrixXd> transform_;
};

// Factors of the Gram matrices, the farthest rows first: a draft takes the leading columns.
class Svm2kSolver : public MeklSolver {
 public:
  Svm2kSolver(const MeklData& data, const MeklOptions& options, const Rows& rows,
              const Micro& micro, Context& context)
      : options_(options), context_(context) {
    require(data.kernels.size() == 2, "SVM-2K has two views");
    Rows all(rows.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<index_t>(i);
    for (std::size_t k = 0; k < 2; ++k) {
      double gamma = data.kernels[k].kernel.gamma;
      MatrixXd gram = view_gram(data, data.kernels[k], rows, micro, gamma, context).all(context);
      if (!options.svm.free_bias) gram.array() += 1;
      const double rounding = 2.2e-16 * static_cast<double>(gram.rows());
      CholeskyBasis basis =
          greedy_cholesky(ViewGram(std::move(gram)), rounding, all.size(), 1, context);
      const bool is_given = data.kernels[k].values.rows() > 0;
      views_.push_back({static_cast<index_t>(k),
                        basis.factor.cols(),
                        gamma,
                        is_given && basis.is_indefinite(),
                        all,
                        {}});
      for (index_t c = 0; c < basis.factor.cols(); ++c)
        left_[k].push_back(basis.factor(basis.pivots[static_cast<std::size_t>(c)], c));
      factor_[k] = std::move(basis.factor);
    }
  }

  void set_threads(int) override {}

  std::vector<MeklModel> solve(const VectorXd& sign, const VectorXd& weights,
                               const std::vector<MeklPair>& pairs, bool draft) const override {
    Rows rows;
    for (index_t i = 0; i < weights.size(); ++i)
      if (weights[i] > 0) rows.push_back(i);
    MatrixXd factor[2];
    for (int v = 0; v < 2; ++v)
      factor[v] = take(factor_[v], rows, draft ? leading(v, pairs) : factor_[v].cols());
    const VectorXd y = take(sign, rows, 1), w = take(weights, rows, 1);
    std::vector<MeklModel> out;
    for (const MeklPair& pair : pairs) {
      Svm2kOptions options = options_.svm;
      for (double& cost : options.cost) cost *= pair.first;
      options.agreement = pair.second;
      if (draft) options.tol = std::max(options.tol, kDraftGap);
      out.push_back(in_kernels(solve_svm2k(factor[0], factor[1], y, w, options, context_), rows));
    }
    return out;
  }

 private:
  // The columns that a draft needs.
  index_t leading(int view, const std::vector<MeklPair>& pairs) const {
    double penalty = 0;
    for (const MeklPair& p : pairs) penalty = std::max(penalty, std::max(p.first, p.second));
    const std::vector<double>& left = left_[view];
    const auto end = std::find_if(left.begin(), left.end(),
                                  [&](double v) { return !(v * v * penalty > kDraftRank); });
    return std::min<index_t>(factor_[view].cols(), std::max<index_t>(1, end - left.begin()));
  }

  static MatrixXd take(const MatrixXd& from, const Rows& rows, index_t cols) {
    MatrixXd out(rows.size(), cols);
    for (index_t j = 0; j < cols; ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        out(static_cast<index_t>(i), j) = from(rows[i], j);
    return out;
  }

  // The mean of both views, on all rows.
  MeklModel in_kernels(Svm2kModel m, const Rows& rows) const {
    MeklModel model;
    model.decision = VectorXd::Zero(factor_[0].rows());
    for (int v = 0; v < 2; ++v) {
      VectorXd coef = VectorXd::Zero(factor_[v].rows());
      for (std::size_t i = 0; i < rows.size(); ++i)
        coef[rows[i]] = m.coef[v][static_cast<index_t>(i)] / 2;
      model.decision += factor_[v] * (factor_[v].transpose() * coef);
      model.intercept += options_.svm.free_bias ? m.bias[v] / 2 : coef.sum();
      model.coef.push_back(std::move(coef));
    }
    if (options_.svm.free_bias) model.decision.array() += model.intercept;
    model.objective = std::move(m.objective);
    model.converged = m.converged;
    return model;
  }

  const MeklOptions& options_;
  Context& context_;
  MatrixXd factor_[2];           // of the Gram matrices plus 1
  std::vector<double> left_[2];  // of each column's pivot row, before it: the distance
};

}  // namespace

std::unique_ptr<MeklSolver> make_mekl_solver(const MeklData& data, const MeklOptions& options,
                                             const Rows& rows, std::uint64_t item,
                                             const Micro& micro, int threads, Context& context) {
  if (options.two_view_svm)
    return std::make_unique<Svm2kSolver>(data, options, rows, micro, context);
  return std::make_unique<MhksSolver>(data, options, rows, item, micro, threads, context);
}

}  // namespace flexkern
