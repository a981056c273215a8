#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/model/kbp.h"
#include "core/model/kbp_predict.h"
#include "core/model/kbp_scale.h"
#include "core/model/kbp_traps.h"
#include "core/solver/lars.h"
#include "naive.h"

namespace flexkern {
namespace {

const Micro& best_micro() { return *available_micro()[0]; }

// Sources given by the columns of a matrix, with their path and what is needed to check it.
struct Problem {
  Data z;
  std::vector<double> y;
  std::vector<SourceBlock> blocks;
  RowPlan plan;
  Context context;

  Problem(Data columns, std::uint64_t seed) : z(std::move(columns)) {
    const Data noise = uniform_data(z.rows, 1, seed);
    double mean = 0;
    for (index_t i = 0; i < z.rows; ++i) {
      plan.rows.push_back(i);
      plan.weight.push_back(1);
      y.push_back(z(i, 0) - 2 * z(i, z.cols / 2) + noise(i, 0));
      mean += y.back() / static_cast<double>(z.rows);
    }
    for (double& v : y) v -= mean;
    blocks.emplace_back();
    blocks[0].values = z.view();
  }
  KbpDictionary dictionary(double memory = 1e9, int threads = 1) {
    return KbpDictionary(z.view(), blocks, plan, memory, threads, best_micro(), context);
  }
  Path path(KbpDictionary& dictionary, const PathOptions& options = {}) {
    GramCache cache(dictionary, 1e8);
    return follow_path(cache, y, options, nullptr, context);
  }
};

std::vector<double> dense_coef(const Path& path, std::size_t k, index_t size) {
  std::vector<double> beta(at(size), 0.0);
  for (index_t e = path.offset[k]; e < path.offset[k + 1]; ++e)
    beta[at(path.source[at(e)])] = path.coef[at(e)];
  return beta;
}

// At every breakpoint the active sources share the largest correlation with the residual, with the
// signs of their coefficients (the optimality conditions of the lasso).
void expect_optimal(Problem& p, KbpDictionary& dictionary, const Path& path, double tolerance) {
  std::vector<double> column(at(p.z.rows));
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    const std::vector<double> beta = dense_coef(path, k, dictionary.size());
    std::vector<double> r = p.y;
    for (index_t j = 0; j < dictionary.size(); ++j) {
      if (beta[at(j)] == 0) continue;
      dictionary.column(j, column.data());
      for (std::size_t i = 0; i < r.size(); ++i) r[i] -= beta[at(j)] * column[i];
    }
    const double level = path.points[k].correlation, slack = tolerance * path.points[0].correlation;
    for (index_t j = 0; j < dictionary.size(); ++j) {
      if (dictionary.role(j) != Role::source) continue;
      dictionary.column(j, column.data());
      double c = 0;
      for (std::size_t i = 0; i < r.size(); ++i) c += column[i] * r[i];
      EXPECT_LE(std::abs(c), level + slack) << k << " " << j;
      if (beta[at(j)] == 0) continue;
      EXPECT_NEAR(c, beta[at(j)] > 0 ? level : -level, slack) << k << " " << j;
    }
  }
}

TEST(KbpPath, IsOptimalOnRandomDictionaries) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Problem p(uniform_data(12 + static_cast<index_t>(seed), 3 + 4 * (seed % 9), seed), seed);
    KbpDictionary d = p.dictionary();
    const Path path = p.path(d);
    EXPECT_EQ(path.end, Path::End::complete);
    expect_optimal(p, d, path, 1e-9);
  }
}

// D68: duplicated columns, whole-number columns full of ties, and sources that leave.
TEST(KbpPath, IsOptimalOnDuplicatesAndTies) {
  bool left = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Data half = grid_data(15, 12, 2, seed);
    Data twice(15, 24);
    for (index_t j = 0; j < 24; ++j)
      for (index_t i = 0; i < 15; ++i) twice(i, j) = half(i, j % 12);
    Problem p(std::move(twice), seed);
    KbpDictionary d = p.dictionary();
    const Path path = p.path(d);
    expect_optimal(p, d, path, 1e-8);
    for (const Breakpoint& point : path.points) left |= point.left >= 0;
  }
  EXPECT_TRUE(left);
}

TEST(KbpPath, EndsInLeastSquares) {
  Problem p(uniform_data(30, 5, 3), 3);
  KbpDictionary d = p.dictionary();
  const Path path = p.path(d);
  MatrixXd z(30, 5);
  for (index_t j = 0; j < 5; ++j) d.column(j, z.col(j).data());
  const VectorXd y = Eigen::Map<const VectorXd>(p.y.data(), 30);
  const VectorXd truth = z.colPivHouseholderQr().solve(y);
  const std::vector<double> beta = dense_coef(path, path.points.size() - 1, d.size());
  for (index_t j = 0; j < 5; ++j) EXPECT_NEAR(beta[at(j)], truth[j], 1e-9);
}

// A dictionary of Gaussian kernels at the points of x.
struct KernelProblem {
  Data x;
  KbpData data;
  Data y;
  Context context;

  explicit KernelProblem(index_t n, index_t d = 1) : x(uniform_data(n, d, 7)), y(n, 1) {
    const Data noise = uniform_data(n, 1, 8);
    for (index_t i = 0; i < n; ++i) y(i, 0) = std::sin(9 * x(i, 0) * x(i, 0)) + 0.3 * noise(i, 0);
    std::vector<index_t> columns;
    for (index_t k = 0; k < d; ++k) columns.push_back(k);
    for (double gamma : {1.0, 20.0, 400.0}) {
      data.blocks.emplace_back();
      data.blocks.back().kernel = source_kernel("radial", gamma, 1, 0);
      data.blocks.back().columns = columns;
    }
    data.blocks.emplace_back();
    data.blocks.back().kernel = source_kernel("laplace", 3, 1, 0);
    data.blocks.back().columns = columns;
    data.x = x.view();
    data.y = y.view();
    data.weights.assign(at(n), 1.0);
  }
  KbpFit fit(KbpOptions options, double memory = 1e9, int threads = 1) {
    context.memory = memory;
    context.threads = threads;
    options.path.max_steps = 60;
    return fit_kbp(data, options, best_micro(), context);
  }
};

void expect_same(const KbpFit& a, const KbpFit& b) {
  EXPECT_EQ(a.paths[0].path.source, b.paths[0].path.source);
  EXPECT_EQ(a.paths[0].path.coef, b.paths[0].path.coef);
  EXPECT_EQ(a.paths[0].risk, b.paths[0].risk);
}

TEST(Kbp, ThreadsAndTilesChangeNothing) {
  KernelProblem p(150, 2);
  const KbpFit whole = p.fit({});
  EXPECT_TRUE(whole.stored);
  const KbpFit tiles = p.fit({}, 3e5);
  EXPECT_FALSE(tiles.stored);
  expect_same(whole, tiles);
  expect_same(whole, p.fit({}, 1e9, 2));
  expect_same(whole, p.fit({}, 3e5, 2));
  KbpOptions searched;
  searched.stop = KbpOptions::Stop::l1;
  for (index_t i = 0; i < 150; ++i) searched.fold.push_back(static_cast<int>(i % 5));
  expect_same(p.fit(searched), p.fit(searched, 1e9, 3));
}

TEST(Kbp, ATrialIsTheFitOfItsBlocks) {
  KernelProblem p(120);
  KbpOptions searched;
  searched.stop = KbpOptions::Stop::l1;
  for (index_t i = 0; i < 120; ++i) searched.fold.push_back(static_cast<int>(i % 5));
  const KbpFit whole = p.fit(searched);
  searched.trials = {{0, 3}};
  searched.margin = 1;  // no error is low enough
  const KbpFit kept = p.fit(searched);
  EXPECT_EQ(kept.trial, -1);
  expect_same(kept, whole);
  searched.margin = -1e6;  // every error is
  const KbpFit taken = p.fit(searched);
  EXPECT_EQ(taken.trial, 0);
  searched.trials.clear();
  p.data.blocks.erase(p.data.blocks.begin() + 1, p.data.blocks.begin() + 3);
  expect_same(taken, p.fit(searched));
}

TEST(Kbp, PredictsItsOwnFit) {
  KernelProblem p(80, 2);
  const KbpFit fit = p.fit({});
  const Path& path = fit.paths[0].path;
  std::vector<double> out(80, fit.paths[0].mean);
  for (index_t e = path.offset.end()[-2]; e < path.offset.back(); ++e) {
    const std::size_t j =
        at(std::lower_bound(fit.ids.begin(), fit.ids.end(), path.source[at(e)]) - fit.ids.begin());
    const KbpSource& s = fit.sources[j];
    const double coef[] = {path.coef[at(e)] * s.scale};
    const double center[] = {p.x(s.place, 0), p.x(s.place, 1)};
    const std::vector<KbpExpansion> parts = {{p.data.blocks[at(s.block)].kernel,
                                              {0, 1},
                                              ConstMatrixRef(center, 1, 2),
                                              ConstMatrixRef(coef, 1, 1)}};
    add_expansions(parts, p.x.view(), best_micro(), MatrixRef(out.data(), 80, 1), p.context);
    for (double& v : out) v -= coef[0] * s.mean;
  }
  double loss = 0;
  for (index_t i = 0; i < 80; ++i) loss += std::pow(out[at(i)] - p.y(i, 0), 2) / 80;
  EXPECT_NEAR(loss, path.points.back().loss, 1e-10);
}

TEST(Kbp, BoundsAreMetExactly) {
  KernelProblem p(100);
  KbpOptions options;
  options.stop = KbpOptions::Stop::l1;
  options.bounds = {0.7};
  EXPECT_NEAR(p.fit(options).paths[0].path.points.back().l1, 0.7, 1e-12);
  options.stop = KbpOptions::Stop::nu;
  options.bounds = {0.08};
  EXPECT_EQ(p.fit(options).paths[0].path.points.back().active, 8);
}

TEST(Kbp, AllMethodsLowerTheLoss) {
  using Method = PathOptions::Method;
  KernelProblem p(100);
  double omp = 0, prefit = 0;
  for (Method method : {Method::lasso, Method::lar, Method::mp, Method::omp, Method::prefit}) {
    KbpOptions options;
    options.path.method = method;
    const auto points = p.fit(options).paths[0].path.points;
    for (std::size_t k = 1; k < points.size(); ++k)
      EXPECT_LE(points[k].loss, points[k - 1].loss * (1 + 1e-9));
    EXPECT_LT(points.back().loss, 0.5 * points[0].loss);
    if (method == Method::omp) omp = points[3].loss;
    if (method == Method::prefit) prefit = points[3].loss;
  }
  EXPECT_LE(prefit, omp * (1 + 1e-9));
}

TEST(Kbp, RandomTrapsStopThePath) {
  KernelProblem p(100);
  const std::vector<double> values = random_traps(100, 15, false, 5);
  EXPECT_EQ(random_traps(100, 15, false, 5), values);
  EXPECT_NE(random_traps(100, 15, false, 6), values);
  p.data.blocks.emplace_back();
  p.data.blocks.back().values = ConstMatrixRef(values.data(), 100, 15);
  p.data.blocks.back().role = Role::trap;
  KbpOptions options;
  options.stop = KbpOptions::Stop::traps;
  options.bounds = {0};
  const Path path = p.fit(options).paths[0].path;
  EXPECT_EQ(path.end, Path::End::rule);
  EXPECT_GT(path.points.back().traps, 0);
  for (std::size_t k = 0; k + 1 < path.points.size(); ++k) EXPECT_EQ(path.points[k].traps, 0);
}

TEST(Kbp, WhitenessIsLjungAndBox) {
  const std::vector<double> r = {1, -2, 3, 0.5, -1};
  const std::vector<index_t> order = {4, 0, 1, 2, 3};  // -1 1 -2 3 0.5
  const double variance = 1 + 1 + 4 + 9 + 0.25;
  const double lag1 = (-1 - 2 - 6 + 1.5) / variance, lag2 = (2 + 3 - 1) / variance;
  EXPECT_NEAR(whiteness(r, order, 2), 5 * 7 * (lag1 * lag1 / 4 + lag2 * lag2 / 3), 1e-12);
}

TEST(Kbp, KeyDistances) {
  Data x(5, 1);
  x.values = {0, 0, 1, 1.5, 4};
  Context context;
  const KeyDistances d = key_distances(x.view(), 100, false, context);
  EXPECT_EQ(d.least, 0.5);
  EXPECT_EQ(d.median_nn, 1);
  EXPECT_EQ(d.diameter, 4);
  Data same(3, 2);
  EXPECT_EQ(key_distances(same.view(), 100, true, context).diameter, 0);
}

TEST(Kbp, EqualRowsAreOneCenter) {
  KernelProblem p(60);
  for (index_t i = 30; i < 60; ++i) p.x(i, 0) = p.x(i - 30, 0);
  EXPECT_EQ(p.fit({}).usable, 4 * 30);
}

TEST(Kbp, ConstantDictionaryIsRefused) {
  KernelProblem p(20);
  for (index_t i = 0; i < 20; ++i) p.x(i, 0) = 1;
  EXPECT_THROW(p.fit({}), Error);
}

TEST(Kbp, CanBeCancelled) {
  KernelProblem p(200);
  p.context.poll = [] { throw Cancelled(); };
  EXPECT_THROW(for (int i = 0; i < 1000; ++i) p.fit({}), Cancelled);
}

TEST(ActiveSet, RemovingIsAsNeverAdding) {
  const Data z = uniform_data(20, 6, 2);
  ActiveSet all(20), some(20);
  for (index_t j = 0; j < 6; ++j) {
    ASSERT_TRUE(all.append(j, z.view().col(j), 1e-10));
    if (j != 1 && j != 4) some.append(j, z.view().col(j), 1e-10);
  }
  EXPECT_FALSE(all.append(6, z.view().col(3), 1e-10));
  all.remove(4);
  all.remove(1);
  const std::vector<double> b = {1, -1, 2, 0.5};
  std::vector<double> x, truth;
  all.solve(b, x);
  some.solve(b, truth);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(x[k], truth[k], 1e-12);
}

}  // namespace
}  // namespace flexkern
