#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/cell.h"
#include "core/model/grid.h"
#include "core/solver/dense.h"
#include "naive.h"

namespace flexkern {
namespace {

// One cell and what is asked of it.
struct Case {
  Data x, y;
  std::vector<double> weights;
  CellOptions options;

  Case(Data x_in, Data y_in) : x(std::move(x_in)), y(std::move(y_in)), weights(at(x.rows), 1.0) {}
  CellData data() const { return {x.view(), y.view(), weights, std::vector<int>(at(x.rows), 0)}; }
  CellFit fit(int threads = 1) const {
    Context context;
    context.seed = 5;
    return fit_cell(data(), options, *make_device("cpu", "auto"), 3, threads, context);
  }
  // The folds of a fit, as the naive functions take them.
  Validation validation(const CellFit& fit) const {
    return {fit.fold, weights, 1 + *std::max_element(fit.fold.begin(), fit.fold.end())};
  }
  MatrixXd gram(double gamma) const {
    return naive_gram(options.kernel.with_gamma(gamma), x.view(), x.view());
  }
};

Case wave_case(index_t n, index_t d, index_t responses, double noise, std::uint64_t seed) {
  const Data x = uniform_data(n, d, seed);
  return {x, waves(x, responses, noise, seed + 1)};
}

// Risks of the same grid on the same folds by exact factorisations.
Surface exact_surface(const Case& c, const CellFit& fit) {
  Context context;
  Surface exact(fit.surface.gammas, fit.surface.lambdas);
  search_dense(c.validation(fit).plan(c.x.rows), c.y.view(), c.x.view(), c.options.kernel,
               *make_device("cpu", "auto"), c.options.search, context, exact);
  return exact;
}

std::size_t place(const Surface& s, const Choice& choice) {
  const auto index = [](const std::vector<double>& v, double value) {
    return static_cast<std::size_t>(std::find(v.begin(), v.end(), value) - v.begin());
  };
  return s.at(index(s.gammas, choice.gamma), index(s.lambdas, choice.lambda));
}

// Twenty data sets: 1, 2 and 10 dimensions, with and without noise and weights, 1 and 4 responses.
Case search_case(int number) {
  const index_t dimensions[] = {1, 2, 10};
  const index_t n = slow_run() ? 66 + 2 * number : 70 + 9 * number;
  const double noise = number / 3 % 2 ? 0.5 : 0.0;
  const std::uint64_t seed = 100 + static_cast<std::uint64_t>(number);
  Case c = wave_case(n, dimensions[number % 3], number / 6 % 2 ? 4 : 1, noise, seed);
  if (number % 4 == 3) c.weights = exact_weights(n, seed);
  return c;
}

class CellSearch : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Data, CellSearch, testing::Range(0, 20));

// What single precision leaves of the smallest penalties; the responses are of size 1.
constexpr double kShare = 1e-4, kFloor = 1e-7;

TEST_P(CellSearch, WithoutRacingTheSurfaceIsExactAtItsMinimum) {
  Case c = search_case(GetParam());
  c.options.search.race = false;
  const CellFit fit = c.fit();
  const Surface exact = exact_surface(c, fit);
  const Choice best = best_choice(exact);
  EXPECT_TRUE(fit.surface.settled[place(exact, best)]);
  const double risk = fit.surface.risk[place(exact, best)];
  EXPECT_NEAR(risk, best.risk, kShare * best.risk + kFloor) << best.gamma << " " << best.lambda;
  const double chosen = exact.risk[place(exact, fit.choice)];
  EXPECT_NEAR(chosen, best.risk, 2 * kShare * best.risk + kFloor);
}

TEST_P(CellSearch, RacingFindsAPairNearlyAsGood) {
  const Case c = search_case(GetParam());
  const CellFit fit = c.fit();
  const Surface exact = exact_surface(c, fit);
  const Choice best = best_choice(exact);
  const double chosen = exact.risk[place(exact, fit.choice)];
  EXPECT_LE(chosen, 1.005 * best.risk + kFloor) << best.gamma << " " << best.lambda;
  EXPECT_NEAR(fit.choice.risk, chosen, 1e-5 * chosen + 1e-10);
}

TEST_P(CellSearch, DecisionValuesAreThoseOfExactModels) {
  const Case c = search_case(GetParam());
  const CellFit fit = c.fit();
  EXPECT_TRUE(fit.converged);
  const Validation v = c.validation(fit);
  const index_t n = c.x.rows, count = c.y.cols;
  const MatrixXd gram = c.gram(fit.choice.gamma);
  const MatrixXd coefs = naive_coefs(gram, to_eigen(c.y.view()), v, fit.choice.lambda);
  MatrixXd mean = MatrixXd::Zero(n, count), held_out(n, count);
  for (int f = 0; f < v.folds; ++f) mean += coefs.middleCols(f * count, count) / v.folds;
  for (index_t i = 0; i < n; ++i)
    held_out.row(i) = gram.row(i) * coefs.middleCols(v.fold[at(i)] * count, count);
  EXPECT_LT(max_abs(to_eigen(fit.fitted, n) - gram * mean), 1e-5);
  EXPECT_LT(max_abs(gram * to_eigen(fit.coef, n) - gram * mean), 1e-5);
  EXPECT_LT(max_abs(to_eigen(fit.held_out, n) - held_out), 1e-4);
  EXPECT_NEAR(fit.choice.risk,
              naive_risk(gram, to_eigen(c.y.view()), v, fit.choice.lambda, Clip{-1, 1}),
              1e-5 * fit.choice.risk + 1e-10);
}

Case golden() {
  Case c(Data(4, 1), Data(4, 1));
  c.x.values = {0, 0.2, 0.5, 1};
  c.y.values = {-1, 0.3, 0.8, -0.5};
  c.options.gammas = {1 / (0.4 * 0.4)};
  c.options.lambdas = {0.01};
  c.options.folds = 0;
  return c;
}

TEST(Cell, FourRowsHaveKnownCoefficients) {
  const Case c = golden();
  const CellFit fit = c.fit();
  const double alpha[] = {-2.571280928, 2.08064943, 0.26149404, -0.5653430886};
  double value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit.coef[i], alpha[i], 2e-9);
    EXPECT_EQ(fit.fold[i], -1);
    EXPECT_TRUE(std::isnan(fit.held_out[i]));
    const double distance = 0.3 - c.x(static_cast<index_t>(i), 0);
    value += fit.coef[i] * std::exp(-distance * distance / 0.16);
  }
  EXPECT_NEAR(value, 0.6667278584, 1e-9);
  EXPECT_TRUE(fit.surface.gammas.empty());
}

TEST(Cell, CostIsAPenalty) {
  Case c = golden();
  const CellFit fit = c.fit();
  c.options.lambdas.clear();
  c.options.costs = {1 / (2 * 0.01 * 4)};
  const CellFit other = c.fit();
  EXPECT_NEAR(other.choice.lambda, 0.01, 1e-15);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(other.coef[i], fit.coef[i], 1e-12);
}

TEST(Cell, ConstantResponsesAreTheirConstant) {
  for (const index_t n : {1, 5, 90}) {
    Case c = wave_case(n, 2, 1, 0.1, 1);
    std::fill(c.y.values.begin(), c.y.values.end(), 0.7);
    const CellFit fit = c.fit();
    EXPECT_EQ(fit.intercept[0], 0.7);
    EXPECT_TRUE(fit.converged);
    for (std::size_t i = 0; i < at(n); ++i) {
      EXPECT_EQ(fit.coef[i], 0);
      EXPECT_EQ(fit.fitted[i], 0.7);
      if (n > 1) {
        EXPECT_EQ(fit.held_out[i], 0.7);
      } else {
        EXPECT_TRUE(std::isnan(fit.held_out[i]));  // nothing was left to learn from
      }
    }
  }
}

TEST(Cell, AConstantResponseBesideOthersTakesNoPart) {
  for (const index_t n : {40, 90}) {
    const Case alone = wave_case(n, 2, 1, 0.1, 2);
    Case both(alone.x, Data(n, 2));
    for (index_t i = 0; i < n; ++i) {
      both.y(i, 0) = -0.4;
      both.y(i, 1) = alone.y(i, 0);
    }
    const CellFit one = alone.fit(), two = both.fit();
    EXPECT_EQ(two.choice.risk, one.choice.risk);
    EXPECT_EQ(two.intercept, (std::vector<double>{-0.4, 0}));
    for (std::size_t i = 0; i < at(n); ++i) {
      EXPECT_EQ(two.coef[i], 0);
      EXPECT_EQ(two.held_out[i], -0.4);
      EXPECT_EQ(two.fitted[at(n) + i], one.fitted[i]);
    }
  }
}

TEST(Cell, AFewRowsAreFitted) {
  for (const index_t n : {1, 2, 3, 4, 5, 6})
    for (const bool split : {false, true})
      for (const bool average : {false, true}) {
        Case c = wave_case(n, 2, 2, 0.1, 3);
        c.options.split = split;
        c.options.average = average;
        const CellFit fit = c.fit();
        EXPECT_TRUE(fit.converged);
        EXPECT_GT(fit.choice.gamma, 0);
        EXPECT_GT(fit.choice.lambda, 0);
        for (const double v : fit.coef) EXPECT_TRUE(std::isfinite(v)) << n << split << average;
        for (const double v : fit.fitted) EXPECT_TRUE(std::isfinite(v)) << n << split << average;
      }
}

TEST(Cell, TwoRowsValidateEachOther) {
  Case c = wave_case(2, 1, 1, 0.1, 4);
  c.options.gammas = {1.5};
  c.options.lambdas = {0.1};
  const CellFit fit = c.fit();
  EXPECT_NE(fit.fold[0], fit.fold[1]);
  const double k = c.gram(1.5)(0, 1);
  EXPECT_NEAR(fit.held_out[0], k * c.y(1, 0) / 1.1, 1e-12);
  EXPECT_NEAR(fit.held_out[1], k * c.y(0, 0) / 1.1, 1e-12);
}

TEST(Cell, RowsOfZeroWeightAreAsIfTheyWereNotThere) {
  for (const index_t n : {50, 170}) {
    Case c = wave_case(n, 2, 2, 0.3, 5);
    c.options.gammas = {2};
    c.options.lambdas = {1e-3};
    c.options.folds = 0;
    c.options.tol = 1e-10;
    c.weights = exact_weights(n, 6);
    const CellFit fit = c.fit();
    const MatrixXd gram = c.gram(2), y = to_eigen(c.y.view());
    VectorXd w = Eigen::Map<const VectorXd>(c.weights.data(), n);
    // Of mean 1, and their roots in single precision, as the machine knows them.
    const double mean = w.sum() / static_cast<double>((w.array() > 0).count());
    w = (w / mean).cwiseSqrt().cast<float>().cast<double>().cwiseAbs2();
    EXPECT_LT(max_abs(to_eigen(fit.fitted, n) - gram * naive_coef(gram, y, w, 1e-3)), 1e-8);
    for (index_t i = 0; i < n; ++i) {
      if (w[i] == 0) {
        EXPECT_EQ(fit.coef[at(i)], 0);
      }
    }
  }
}

TEST(Cell, OnlyRatiosOfWeightsCount) {
  for (const index_t n : {50, 170}) {
    Case c = wave_case(n, 2, 2, 0.3, 5);
    c.options.folds = 3;
    c.weights = exact_weights(n, 6);
    const CellFit fit = c.fit();
    for (double& w : c.weights) w /= 1024;
    const CellFit light = c.fit();
    EXPECT_EQ(light.choice.lambda, fit.choice.lambda);
    EXPECT_LT(max_abs(to_eigen(light.fitted, n) - to_eigen(fit.fitted, n)), 1e-10);
  }
}

TEST(Cell, AResponseThatOnlyVariesOnRowsOfZeroWeightIsConstant) {
  Case c = wave_case(30, 1, 1, 0.1, 7);
  for (index_t i = 0; i < 30; ++i) {
    c.weights[at(i)] = i % 3 ? 1 : 0;
    if (i % 3) c.y(i, 0) = 0.25;
  }
  const CellFit fit = c.fit();
  EXPECT_EQ(fit.intercept[0], 0.25);
  for (const double v : fit.fitted) EXPECT_EQ(v, 0.25);
}

TEST(Cell, SplitValidationTrainsOnTheFirstHalf) {
  for (const index_t n : {9, 61, 140, 141}) {
    Case c = wave_case(n, 2, 1, 0.3, 8);
    c.options.split = true;
    c.options.search.race = false;
    const CellFit fit = c.fit();
    for (index_t i = 0; i < n; ++i) EXPECT_EQ(fit.fold[at(i)], i < n / 2 + 1 ? -1 : 0);
    VectorXd w = VectorXd::Zero(n);
    w.head(n / 2 + 1).setOnes();
    const MatrixXd gram = c.gram(fit.choice.gamma), y = to_eigen(c.y.view());
    const MatrixXd decision = gram * naive_coef(gram, y, w, fit.choice.lambda);
    EXPECT_LT(max_abs(to_eigen(fit.fitted, n) - decision), 1e-5) << n;
    const Choice best = best_choice(exact_surface(c, fit));
    EXPECT_NEAR(fit.choice.risk, best.risk, 1e-3 * best.risk + kFloor) << n;
  }
}

TEST(Cell, ARefittedModelKnowsAllRows) {
  for (const index_t n : {50, 120}) {
    Case c = wave_case(n, 2, 2, 0.3, 9);
    c.options.average = false;
    c.options.tol = 1e-10;
    const CellFit fit = c.fit();
    const MatrixXd gram = c.gram(fit.choice.gamma), y = to_eigen(c.y.view());
    const MatrixXd coef = naive_coef(gram, y, VectorXd::Ones(n), fit.choice.lambda);
    EXPECT_LT(max_abs(to_eigen(fit.fitted, n) - gram * coef), 1e-8);
  }
}

TEST(Cell, ASecondPassNeverMakesItWorse) {
  for (const index_t n : {60, 130}) {
    Case c = wave_case(n, 2, 1, 0.3, 10);
    c.options.search.race = false;
    const CellFit coarse = c.fit();
    c.options.refine = true;
    const CellFit fine = c.fit();
    EXPECT_LE(fine.choice.risk, coarse.choice.risk * (1 + 1e-4));
    EXPECT_NEAR(fine.choice.risk,
                naive_risk(c.gram(fine.choice.gamma), to_eigen(c.y.view()), c.validation(fine),
                           fine.choice.lambda, Clip{-1, 1}),
                1e-5 * fine.choice.risk);
  }
}

TEST(Cell, OtherKernels) {
  for (const index_t n : {50, 120})
    for (const Kernel& kernel : {polynomial(1, 3, 1), linear()}) {
      Case c = wave_case(n, 3, 1, 0.2, 11);
      c.options.kernel = kernel;
      c.options.search.race = false;
      const CellFit fit = c.fit();
      EXPECT_TRUE(fit.converged);
      const Choice best = best_choice(exact_surface(c, fit));
      EXPECT_NEAR(fit.choice.risk, best.risk, 1e-3 * best.risk);
    }
}

TEST(Cell, ThreadsGiveTheSameBits) {
  for (const index_t n : {60, slow_run() ? 130 : 500}) {
    const Case c = wave_case(n, 3, 2, 0.3, 12);
    const CellFit one = c.fit(1);
    for (const int threads : {2, 4}) {
      const CellFit many = c.fit(threads);
      EXPECT_EQ(many.coef, one.coef);
      EXPECT_EQ(many.held_out, one.held_out);
      EXPECT_EQ(many.surface.risk, one.surface.risk);
    }
  }
}

TEST(Cell, HopelessPenaltiesGiveNumbers) {
  for (const index_t n : {60, 100})
    for (const double lambda : {1e-10, 1e-14}) {
      Case c = wave_case(n, 2, 1, 0.3, 14);
      c.options.gammas = {0.1};
      c.options.lambdas = {lambda};
      const CellFit fit = c.fit();
      for (const double v : fit.coef) ASSERT_TRUE(std::isfinite(v)) << n << " " << lambda;
      for (const double v : fit.fitted) ASSERT_LT(std::fabs(v), 10) << n << " " << lambda;
    }
}

TEST(Cell, ABoundOnTheStepsThatBitesIsReported) {
  Case c = wave_case(200, 2, 1, 0.3, 13);
  c.options.gammas = {500};
  c.options.lambdas = {1e-6};
  c.options.tol = 1e-12;
  c.options.search.max_iter = 1;
  EXPECT_FALSE(c.fit().converged);
}

TEST(Grid, IsGeometric) {
  const std::vector<double> v = geometric(8, 1, 4);
  ASSERT_EQ(v.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(v[i], std::pow(2.0, 3.0 - i), 1e-12);
  EXPECT_EQ(geometric(5, 2, 1), std::vector<double>{5});
}

TEST(Grid, DefaultsAreThoseOfThePaper) {
  const std::vector<double> lambdas = default_lambdas(500);
  ASSERT_EQ(lambdas.size(), 10u);
  EXPECT_DOUBLE_EQ(lambdas.front(), 0.1);
  EXPECT_NEAR(lambdas.back(), 2e-6, 1e-18);
  const std::vector<double> gammas = default_gammas(radial(1), 400, 2);
  ASSERT_EQ(gammas.size(), 10u);
  EXPECT_NEAR(gammas.front(), 0.01, 1e-15);
  EXPECT_NEAR(gammas.back(), 4 * 400, 1e-9);  // width 0.5 / sqrt(400)
  EXPECT_EQ(default_gammas(radial(1), 9, 2).size(), 10u);
  EXPECT_EQ(default_gammas(linear(), 100, 4), std::vector<double>{0.25});
  EXPECT_EQ(default_gammas(linear(), 100, 0), std::vector<double>{1});
}

TEST(Grid, CountsColumnsThatVary) {
  Data x = uniform_data(10, 4, 1);
  for (index_t i = 0; i < 10; ++i) x(i, 2) = 3;
  EXPECT_EQ(varying_columns(x.view()), 3);
  EXPECT_EQ(varying_columns(Data(1, 4).view()), 0);
}

TEST(Grid, TheSecondPassLiesBetweenTheNeighbours) {
  const auto inside = between_neighbours({8, 1, 2, 4}, 2, 1);
  ASSERT_EQ(inside.size(), 2u);
  EXPECT_NEAR(inside[0], std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(inside[1], std::sqrt(8.0), 1e-12);
  EXPECT_EQ(between_neighbours({8, 1, 2, 4}, 8, 3).size(), 3u);
  EXPECT_EQ(between_neighbours({8, 1, 2, 4}, 1, 2).size(), 2u);
  EXPECT_TRUE(between_neighbours({3}, 3, 2).empty());
}

}  // namespace
}  // namespace flexkern
