#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/grid.h"
#include "core/model/vpsvm.h"
#include "naive.h"

namespace flexkern {
namespace {

// Cells above the threshold at small scale.
struct LargeCase {
  Data x, y;
  CellOptions options;

  LargeCase(index_t n, index_t d, double noise, index_t responses = 1)
      : x(uniform_data(n, d, 1)), y(waves(x, responses, noise, 2)) {
    options.search_rows = n / 3;
  }
  CellData data() const {
    return {x.view(), y.view(), std::vector<double>(at(x.rows), 1.0),
            std::vector<int>(at(x.rows), 0), 0};
  }
  CellFit fit(int threads = 1) const {
    Context context;
    context.seed = 5;
    return fit_cell(data(), options, *make_device("cpu", "auto"), 3, threads, context);
  }
  double risk(const CellFit& fit, const Choice& pair) const {
    const Validation v{fit.fold, std::vector<double>(at(x.rows), 1.0), options.folds};
    return naive_risk(naive_gram(options.kernel.with_gamma(pair.gamma), x.view(), x.view()),
                      to_eigen(y.view()), v, pair.lambda, options.search.clip);
  }
};

TEST(LargeCell, IsSearchedOnASampleAndThenOnAllRows) {
  const LargeCase c(450, 2, 0.3);
  const CellFit fit = c.fit();
  EXPECT_EQ(fit.searched_rows, 150);
  EXPECT_EQ(fit.surface.gammas.size(), 10u);
  EXPECT_EQ(fit.surface.lambdas, default_lambdas(450));
  ASSERT_GE(fit.tried.size(), 3u);
  const auto least = std::min_element(fit.tried.begin(), fit.tried.end(),
                                      [](auto& a, auto& b) { return a.risk < b.risk; });
  EXPECT_EQ(least->gamma, fit.choice.gamma);
  EXPECT_EQ(least->lambda, fit.choice.lambda);
  for (const Choice& pair : fit.tried) {
    const double truth = c.risk(fit, pair);
    EXPECT_NEAR(pair.risk, truth, 0.02 * truth) << pair.gamma << " " << pair.lambda;
  }
}

// Kernels and penalties of the grid only, and no neighbour that was left out is better.
TEST(LargeCell, EndsWhereNoNarrowerKernelAndNoPenaltyBesideIsBetter) {
  for (const double noise : {0.0, 0.5}) {
    const LargeCase c(400, 1, noise);
    const CellFit fit = c.fit();
    auto gammas = default_gammas(c.options.kernel, 400, 1), lambdas = default_lambdas(400);
    std::sort(lambdas.begin(), lambdas.end());
    const auto position = [](const std::vector<double>& grid, double value) {
      const auto near = [=](double v) { return std::fabs(v / value - 1) < 1e-9; };
      return std::find_if(grid.begin(), grid.end(), near) - grid.begin();
    };
    const index_t g = position(gammas, fit.choice.gamma), l = position(lambdas, fit.choice.lambda);
    ASSERT_LT(g, 10);
    ASSERT_LT(l, 10);
    const index_t beside[][2] = {{g + 1, l}, {g, l - 1}, {g, l + 1}};
    for (const auto& b : beside) {
      if (b[0] > 9 || b[1] < 0 || b[1] > 9) continue;
      EXPECT_GE(c.risk(fit, {gammas[at(b[0])], lambdas[at(b[1])]}), 0.98 * fit.choice.risk);
    }
  }
}

TEST(LargeCell, IsNearlyAsGoodAsTheFullSearch) {
  for (const index_t responses : {1, 6}) {
    LargeCase c(450, 2, 0.3, responses);
    const CellFit large = c.fit();
    c.options.search_rows = 450;
    const CellFit full = c.fit();
    EXPECT_EQ(full.searched_rows, 450);
    EXPECT_TRUE(full.tried.empty());
    EXPECT_LT(large.choice.risk, 1.05 * full.choice.risk) << responses;
  }
}

TEST(LargeCell, WithOnePairIsTheSameModelAsAnyOther) {
  LargeCase c(420, 3, 0.2);
  c.options.gammas = {2};
  c.options.lambdas = {1e-4};
  const CellFit large = c.fit();
  c.options.search_rows = 1000;
  const CellFit small = c.fit();
  EXPECT_TRUE(large.converged);
  EXPECT_TRUE(large.tried.empty());
  EXPECT_EQ(large.searched_rows, 0);
  EXPECT_LT(max_abs(to_eigen(large.fitted, 420) - to_eigen(small.fitted, 420)), 1e-5);
  EXPECT_LT(max_abs(to_eigen(large.held_out, 420) - to_eigen(small.held_out, 420)), 1e-5);
}

TEST(LargeCell, NeitherThreadsNorMemoryChangeABit) {
  LargeCase c(600, 2, 0.3);
  const CellFit one = c.fit(1), two = c.fit(2);
  c.options.gram_bytes = 0;
  const CellFit none = c.fit(2);
  for (const CellFit* other : {&two, &none}) {
    EXPECT_EQ(other->coef, one.coef);
    EXPECT_EQ(other->surface.risk, one.surface.risk);
    EXPECT_EQ(other->choice.risk, one.choice.risk);
  }
}

TEST(LargeCell, OptionsOfTheSearchReachTheSample) {
  LargeCase c(420, 2, 0.3);
  c.options.split = true;
  const CellFit split = c.fit();
  EXPECT_EQ(split.searched_rows, 140);
  EXPECT_EQ(split.fold[at(420 / 2 + 1)], 0);
  c.options.split = false;
  c.options.refine = true;
  const CellFit refined = c.fit();
  EXPECT_LE(refined.choice.risk, 1.05 * c.risk(refined, refined.tried.front()));
  c.options.refine = false;
  c.options.costs = {0.1, 1, 10};
  const CellFit costs = c.fit();
  EXPECT_EQ(costs.surface.lambdas.size(), 3u);
  const double cost = 1 / (2 * costs.choice.lambda * 420);
  EXPECT_LT(std::min({std::fabs(cost - 0.1), std::fabs(cost - 1), std::fabs(cost - 10)}), 1e-9);
}

TEST(LargeCell, TrainsOnItsMarginInTheEnd) {
  LargeCase c(420, 2, 0.3);
  CellData data = c.data();
  data.margin = 60;
  Context context;
  const CellFit fit = fit_cell(data, c.options, *make_device("cpu", "auto"), 3, 1, context);
  EXPECT_EQ(fit.searched_rows, 140);
  EXPECT_EQ(fit.fitted.size(), 360u);
  EXPECT_EQ(fit.coef.size(), 420u);
  EXPECT_GT(max_abs(to_eigen(fit.coef, 420).bottomRows(60)), 0);
}

TEST(LargeCell, ASampleWithoutVariationStartsAtTheWidestKernel) {
  LargeCase c(420, 2, 0.3);
  std::fill(c.y.values.begin(), c.y.values.end(), -1.0);
  c.y.values[200] = 1;
  const CellFit fit = c.fit();
  EXPECT_FALSE(fit.tried.empty());
  EXPECT_TRUE(std::isfinite(fit.choice.risk));
}

double bytes_within(const LargeCase& c, double budget) {
  Context context;
  context.memory = budget;
  double bytes = 0;
  const auto rows = rows_by_cell(std::vector<std::int32_t>(at(c.x.rows), 0));
  fit_cells(c.data(), rows, {}, c.options, *make_device("cpu", "auto"), context, bytes);
  return bytes;
}

TEST(LargeCell, HoldsWhatFitsTheBudgetAndAQuarterAtLeast) {
  LargeCase c(2000, 2, 0.3);
  c.options.search_rows = 100;
  c.options.gammas = {1};
  c.options.lambdas = {1e-3};
  const auto device = make_device("cpu", "auto");
  const double values = device->compact_gram_bytes(2000);
  const double all = cell_bytes(2000, 2, 1, c.options, *device);
  EXPECT_LE(bytes_within(c, all), all);
  EXPECT_LE(bytes_within(c, all - values / 2), all - values / 2);
  EXPECT_LE(bytes_within(c, all - 0.74 * values), all - 0.74 * values);
  EXPECT_THROW(bytes_within(c, all - 0.76 * values), MemoryBudgetError);
}

}  // namespace
}  // namespace flexkern
