// The parts of reduced multiple empirical kernel learning and of SVM-2K.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/model/mekl.h"
#include "core/model/mekl_predict.h"
#include "core/solver/ridge_view.h"
#include "random_data.h"

namespace flexkern {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rule = BasisOptions::Rule;

const Micro& best_micro() { return *available_micro()[0]; }

MatrixXd matrix(const Data& d) {
  return Eigen::Map<const MatrixXd>(d.values.data(), d.rows, d.cols);
}

Kernel kernel_of(Kernel::Type type) {
  Kernel k;
  k.type = type;
  k.gamma = type == Kernel::Type::polynomial ? 1 : 0.5;
  k.degree = 2;
  k.coef0 = 1;
  return k;
}

double worst(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(PackedMatrix, Products) {
  Context context;
  for (index_t n : {1, 15, 33, 700}) {
    const MatrixXd a = matrix(uniform_data(n, 21, 1)), b = matrix(uniform_data(21, 7, 2));
    const MatrixXd t = matrix(uniform_data(n, 3, 3));
    const VectorXd w = matrix(uniform_data(n, 1, 4)).cwiseAbs();
    const PackedMatrix packed(a, best_micro(), 2, context);
    EXPECT_LT(worst(packed.times(b), a * b), 1e-12);
    EXPECT_LT(worst(packed.transposed_times(t), a.transpose() * t), 1e-12);
    EXPECT_LT(worst(packed.gram(w), a.transpose() * w.asDiagonal() * a), 1e-12);
  }
}

TEST(ViewGram, ColumnsAllAndSubsetsAgree) {
  Context context;
  const MatrixXd x = matrix(grid_data(50, 3, 2, 1));
  for (auto type : {Kernel::Type::linear, Kernel::Type::polynomial, Kernel::Type::radial}) {
    const ViewGram gram(x, kernel_of(type), best_micro());
    const MatrixXd all = gram.all(context);
    EXPECT_LT(worst(gram.diagonal(), all.diagonal()), 1e-12);
    EXPECT_LT(worst(gram.columns({3, 40}, context).col(1), all.col(40)), 1e-12);
    VectorXd part(20);
    gram.column(7, 25, 20, part.data());
    EXPECT_LT(worst(part, all.col(7).segment(25, 20)), 1e-12);
    EXPECT_LT(worst(gram.subset({1, 9}, context).all(context),
                    (Eigen::Matrix2d() << all(1, 1), all(1, 9), all(9, 1), all(9, 9)).finished()),
              1e-12);
    const ViewGram given(all);
    EXPECT_LT(worst(given.subset({1, 9}, context).all(context),
                    gram.subset({1, 9}, context).all(context)),
              1e-12);
  }
  double sum = 0;
  for (index_t i = 0; i < 50; ++i)
    for (index_t j = 0; j < 50; ++j) sum += (x.row(i) - x.row(j)).norm();
  EXPECT_NEAR(mean_distance(x, best_micro(), context), sum / 2500, 1e-10);
}

TEST(Basis, EliminationTakesColumnsThatTheEarlierOnesDoNotSpan) {
  Context context;
  const MatrixXd b = matrix(uniform_data(120, 6, 5));
  MatrixXd a = b * b.transpose();
  a.row(1) = 2 * a.row(0);  // rows 0 and 1 depend, and so do columns
  a.col(1) = 2 * a.col(0);
  const auto basis = eliminate(a, 1e-9, 120, context);
  ASSERT_EQ(basis.size(), 6u);
  EXPECT_EQ(basis, (std::vector<index_t>{0, 2, 3, 4, 5, 6}));
  MatrixXd again = b * b.transpose();
  EXPECT_EQ(eliminate(again, 1e-9, 4, context).size(), 4u);
}

TEST(Basis, GreedyCholeskyIsAFactor) {
  Context context;
  const ViewGram gram(matrix(uniform_data(300, 2, 6)), kernel_of(Kernel::Type::radial),
                      best_micro());
  const CholeskyBasis one = greedy_cholesky(gram, 1e-12, 300, 1, context);
  EXPECT_LT(one.pivots.size(), 120u);
  EXPECT_LT(worst(one.factor * one.factor.transpose(), gram.all(context)), 1e-9);
  EXPECT_FALSE(one.is_indefinite());
  const CholeskyBasis two = greedy_cholesky(gram, 1e-12, 300, 2, context);
  EXPECT_EQ(one.pivots, two.pivots);
  EXPECT_TRUE(one.factor == two.factor);
  MatrixXd indefinite = MatrixXd::Identity(3, 3);
  indefinite(0, 1) = indefinite(1, 0) = 2;
  EXPECT_TRUE(greedy_cholesky(ViewGram(indefinite), 1e-12, 3, 1, context).is_indefinite());
}

TEST(EmpiricalMap, IsOrthonormalByEveryRule) {
  Context context;
  const MatrixXd x = 3 * matrix(grid_data(90, 3, 3, 7));
  for (auto type : {Kernel::Type::linear, Kernel::Type::polynomial, Kernel::Type::radial})
    for (Rule rule : {Rule::elimination, Rule::cholesky, Rule::full}) {
      const ViewGram gram(x, kernel_of(type), best_micro());
      BasisOptions options;
      options.rule = rule;
      const EmpiricalMap map = empirical_map(gram, options, Rng(1, 1), 2, context);
      const MatrixXd k = gram.all(context);
      EXPECT_LT(worst(map.features * map.features.transpose(), k), 1e-8 * k.maxCoeff());
      EXPECT_LT(worst(gram.columns(map.basis, context) * map.transform, map.features),
                1e-5 * std::sqrt(k.maxCoeff()));
      EXPECT_TRUE(std::is_sorted(map.basis.begin(), map.basis.end()));
      if (type == Kernel::Type::linear) EXPECT_EQ(map.rank, 3);
      if (type == Kernel::Type::polynomial) EXPECT_NEAR(static_cast<double>(map.rank), 10, 1);
    }
}

TEST(EmpiricalMap, RandomDescentEndsAtFullRank) {
  Context context;
  const ViewGram gram(matrix(uniform_data(40, 4, 8)), kernel_of(Kernel::Type::linear),
                      best_micro());
  BasisOptions options;
  options.rule = Rule::random;
  options.known_bound = 4;
  const EmpiricalMap map = empirical_map(gram, options, Rng(1, 1), 1, context);
  EXPECT_EQ(map.rank, 4);
  EXPECT_LT(worst(map.features * map.features.transpose(), gram.all(context)), 1e-10);
}

TEST(EmpiricalMap, ABoundOnTheRankHoldsForEveryRule) {
  Context context;
  const ViewGram gram(matrix(uniform_data(60, 3, 8)), kernel_of(Kernel::Type::radial),
                      best_micro());
  for (Rule rule : {Rule::elimination, Rule::cholesky, Rule::full, Rule::random}) {
    BasisOptions options;
    options.rule = rule;
    options.max_rank = 5;
    EXPECT_EQ(empirical_map(gram, options, Rng(1, 1), 1, context).features.cols(), 5);
  }
}

TEST(EmpiricalMap, RandomDescentNoticesNegativeDirections) {
  Context context;
  for (double beside : {0.0, 2.0}) {
    MatrixXd k = MatrixXd::Identity(6, 6);
    k(5, 5) = beside > 0 ? 1 : -1;
    k(0, 5) = k(5, 0) = beside;
    BasisOptions options;
    options.rule = Rule::random;
    const EmpiricalMap map = empirical_map(ViewGram(k), options, Rng(1, 1), 1, context);
    EXPECT_TRUE(map.indefinite);
    EXPECT_LT(map.features.cols(), 6);
  }
}

TEST(RidgeView, FactorsAndEigenvectorsSolveTheSame) {
  Context context;
  const MatrixXd b = matrix(uniform_data(30, 12, 9)), gram = b.transpose() * b;
  std::vector<Ridge> few = {{1.5, 0.25}, {1, 4}}, many = few;
  for (int k = 0; k < 10; ++k) many.push_back({1, 1.0 + k});
  const MatrixXd right = matrix(uniform_data(12, 2, 10));
  const PackedMatrix view(b, best_micro(), 1, context);
  const RidgeView turned(view, gram, many, context);
  const MatrixXd a = RidgeView(view, gram, few, context).solve(right, {1, 0});
  MatrixXd start(12, 2);
  for (int k = 0; k < 2; ++k) start.col(k) = turned.turned(right.col(k));
  const MatrixXd c = turned.solve(start, {1, 0});
  for (int k = 0; k < 2; ++k) EXPECT_LT(worst(a.col(k), turned.restored(c.col(k))), 1e-10);
  EXPECT_LT(worst(turned.features().times(c), b * a), 1e-10);
  MatrixXd first = gram;
  first.diagonal().array() += 4;
  EXPECT_LT(worst(first * a.col(0), right.col(0)), 1e-10);
}

// Two views of one problem with labels that depend on a product.
struct TwoViews {
  MatrixXd x = matrix(uniform_data(80, 3, 11));
  VectorXd sign{80};
  TwoViews() {
    for (index_t i = 0; i < 80; ++i) sign[i] = x(i, 0) + x(i, 1) * x(i, 2) > 0 ? 1 : -1;
  }
  MatrixXd gram(Kernel::Type type) const {
    Context context;
    return ViewGram(x, kernel_of(type), best_micro()).all(context);
  }
};

TEST(Mhks, PenaltiesAdvanceAsIfAlone) {
  Context context;
  const TwoViews data;
  std::vector<std::unique_ptr<PackedMatrix>> views;
  std::vector<const PackedMatrix*> pointers;
  for (auto type : {Kernel::Type::linear, Kernel::Type::radial}) {
    const ViewGram gram(data.x, kernel_of(type), best_micro());
    views.push_back(std::make_unique<PackedMatrix>(
        empirical_map(gram, {}, Rng(1, 1), 1, context).features, best_micro(), 1, context));
    pointers.push_back(views.back().get());
  }
  VectorXd weights = VectorXd::Ones(80);
  weights.tail(20).setZero();
  const MhksProblem problem(pointers, data.sign, weights, context);
  std::vector<Penalty> all;
  for (double c : {0.1, 1.0, 10.0})
    for (double lambda : {0.1, 1.0, 10.0}) all.push_back({c, lambda});
  const auto together = problem.solve(all, {});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const MhksModel alone = problem.solve({all[k]}, {})[0];
    ASSERT_EQ(alone.objective.size(), together[k].objective.size());
    EXPECT_NEAR(alone.objective.back(), together[k].objective.back(), 1e-8);
    EXPECT_LT(worst(alone.decision, together[k].decision), 1e-7);
    for (std::size_t i = 1; i < alone.objective.size(); ++i)
      EXPECT_LE(alone.objective[i], alone.objective[i - 1] + 1e-9);
  }
}

TEST(Svm2k, TheGapCloses) {
  Context context;
  const TwoViews data;
  const MatrixXd a = data.gram(Kernel::Type::linear).array() + 1;
  const MatrixXd b = data.gram(Kernel::Type::radial).array() + 1;
  const auto factor = [&](const MatrixXd& k) {
    return greedy_cholesky(ViewGram(k), 1e-14, 80, 1, context).factor;
  };
  for (double epsilon : {0.0, 0.1}) {
    Svm2kOptions options;
    options.epsilon = epsilon;
    options.tol = 1e-6;
    const Svm2kModel m =
        solve_svm2k(factor(a), factor(b), data.sign, VectorXd::Ones(80), options, context);
    EXPECT_TRUE(m.converged);
    const VectorXd fa = a * m.coef[0], fb = b * m.coef[1];
    double primal = (m.coef[0].dot(fa) + m.coef[1].dot(fb)) / 2;
    for (index_t i = 0; i < 80; ++i)
      primal += std::max(0.0, 1 - data.sign[i] * fa[i]) + std::max(0.0, 1 - data.sign[i] * fb[i]) +
                std::max(0.0, std::abs(fa[i] - fb[i]) - epsilon);
    EXPECT_NEAR(primal, m.objective.back(), 2e-6 * primal);
  }
}

TEST(Mekl, ExpansionsRepeatTheDecisionsOfTheFit) {
  Context context;
  const Data x = uniform_data(60, 2, 12);
  MeklData data{x.view(), {}, std::vector<double>(60, 1.0), 3, {}};
  for (index_t i = 0; i < 60; ++i) data.code.push_back(static_cast<int>(i % 3));
  for (auto type : {Kernel::Type::linear, Kernel::Type::radial}) {
    MeklKernel k;
    k.kernel = kernel_of(type);
    k.columns = {0, 1};
    data.kernels.push_back(k);
  }
  MeklOptions options;
  options.first.values = {1, 0.1};
  options.second.values = {1};
  for (index_t i = 0; i < 60; ++i) options.fold.push_back(static_cast<int>(i % 5));
  for (bool rest : {false, true}) {
    options.one_versus_rest = rest;
    const auto groups = fit_mekl(data, options, best_micro(), context);
    EXPECT_EQ(groups.size(), rest ? 1u : 3u);
    EXPECT_EQ(groups[0].machines.size(), rest ? 3u : 1u);
    for (const MeklGroup& g : groups)
      for (const MeklMachine& m : g.machines) {
        EXPECT_EQ(m.grid.surface().size(), 2u);
        EXPECT_EQ(m.intercept.size(), 6u);
        for (const MeklTrial& t : m.grid.surface()) EXPECT_LE(m.grid.best().loss, t.loss);
      }
    for (const MeklView& v : groups[0].views)
      EXPECT_EQ(v.coef.size(), v.basis.size() * 6 * groups[0].machines.size());
  }
}

// The surface is tried as a function of the pair; grids grow until its least value is inside.
MeklGrid grown(MeklAxis first, MeklAxis second, double (*loss)(MeklPair), double poor = 1e9) {
  MeklGrid grid(first, second);
  grid.set_poor(poor);
  while (!grid.waiting().empty()) {
    std::vector<MeklTrial> trials;
    for (const MeklPair& p : grid.waiting()) trials.push_back({p, 0, loss(p)});
    grid.record(trials);
  }
  return grid;
}

TEST(MeklGridTest, GrowsWhileTheLossFallsTowardsAnEdge) {
  const MeklAxis open{{0.25, 0.5, 1, 2, 4}, true}, fixed{{1, 2}, false};
  const MeklGrid grid = grown(open, fixed, [](MeklPair p) {
    const double d = std::log2(p.first) + 8.5;
    return d * d + p.second;
  });
  EXPECT_EQ(grid.best().pair.first, std::exp2(-8));
  EXPECT_EQ(grid.values(0).front(), std::exp2(-10));
  EXPECT_EQ(grid.values(1), fixed.values);
  EXPECT_EQ(grid.surface().size(), grid.values(0).size() * 2);
  EXPECT_EQ(grid.edge(0), 0);
  EXPECT_EQ(grid.edge(1), -1);
  EXPECT_EQ(grown(fixed, open, [](MeklPair) { return 0.5; }).surface().size(), 10u);
}

TEST(MeklGridTest, EndsAtItsLimitsAndLooksBothWaysWhereLittleIsLearned) {
  const MeklAxis open{{0.5, 1, 2}, true};
  const MeklGrid low = grown(open, open, [](MeklPair p) { return 30 + std::log2(p.first); });
  EXPECT_EQ(low.values(0).front(), 0x1p-19);
  EXPECT_EQ(low.edge(0), -1);
  EXPECT_EQ(low.values(1), open.values);
  const auto hump = [](MeklPair p) { return p.first >= 1024 ? 0.1 : p.first > 1 ? 2 : 1.0; };
  EXPECT_EQ(grown(open, open, hump).best().loss, 1.0);
  EXPECT_EQ(grown(open, open, hump, 0.8).best().loss, 0.1);
}

}  // namespace
}  // namespace flexkern
