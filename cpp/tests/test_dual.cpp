#include <gtest/gtest.h>

#include <cmath>

#include "core/model/cell.h"
#include "core/solver/dual_price.h"
#include "naive.h"

namespace flexkern {
namespace {

using Type = Loss::Type;

std::vector<Loss> all_losses() {
  return {{Type::hinge, 0.5, 0},
          {Type::pinball, 0.2, 0},
          {Type::expectile, 0.8, 0},
          {Type::epsilon, 0.5, 0.2},
          {Type::least_squares, 0, 0}};
}

struct Problem {
  Data x, y;
  CellOptions options;

  Problem(index_t n, const std::vector<Loss>& losses)
      : x(uniform_data(n, 2, 1)), y(waves(x, static_cast<index_t>(losses.size()), 0.3, 2)) {
    options.losses = losses;
    options.kernel = radial(1);
    for (index_t c = 0; c < y.cols; ++c)
      for (index_t i = 0; i < n && losses[at(c)].type == Type::hinge; ++i)
        y(i, c) = y(i, c) > 0 ? 1 : -1;
  }
  CellFit fit(int threads = 1) const {
    Context context;
    context.seed = 5;
    const std::vector<double> weights(at(x.rows), 1.0);
    const std::vector<int> strata(at(x.rows), 0);
    const CellData data{x.view(), y.view(), weights, strata, 0, {}};
    return fit_cell(data, options, *make_device("cpu", "auto"), 3, threads, context);
  }
};

TEST(GramRows, AreTheSameWithAndWithoutTheirBase) {
  const Data x = uniform_data(70, 3, 1);
  const auto device = make_device("cpu", "auto");
  Context context;
  for (const Kernel& kernel :
       {radial(1), polynomial(0.5, 3, 1), linear(), with_constant(radial(1), 1),
        with_constant(polynomial(0.5, 2, 0), 2.5), with_constant(linear(), 0.5)}) {
    const auto kept = device->gram_rows(x.view(), kernel, true, 1, context);
    const auto anew = device->gram_rows(x.view(), kernel, false, 2, context);
    for (const double gamma : {0.3, 5.0, 0.3}) {
      kept->set_gamma(gamma);
      anew->set_gamma(gamma);
      const MatrixXd truth = naive_gram(kernel.with_gamma(gamma), x.view(), x.view());
      for (index_t i = 0; i < 70; ++i)
        for (index_t j = 0; j < kept->stride(); ++j) {
          ASSERT_EQ(kept->row(i)[j], anew->row(i)[j]) << i << " " << j;
          const double unit = kept->scale(i) * (j < 70 ? kept->scale(j) : 1);
          ASSERT_NEAR(kept->row(i)[j] * unit, j < 70 ? truth(i, j) : 0, 1e-6 * (1 + unit));
        }
    }
  }
}

// lambda |f|^2 + the mean loss of the coefficients b.
double objective(const Loss& loss, const MatrixXd& k, const VectorXd& y, const VectorXd& b,
                 double lambda) {
  const VectorXd f = k * b;
  double sum = 0;
  for (index_t i = 0; i < y.size(); ++i) sum += loss(y[i], f[i]);
  return lambda * b.dot(f) + sum / static_cast<double>(y.size());
}

// The least objective, by steps on single coordinates of the dual in double precision.
double naive_objective(const Loss& loss, const MatrixXd& k, const VectorXd& y, double lambda) {
  const double cost = 1 / (2 * lambda * static_cast<double>(y.size()));
  VectorXd b = VectorXd::Zero(y.size()), r = y;
  for (int sweep = 0; sweep < 20000; ++sweep)
    for (index_t i = 0; i < y.size(); ++i) {
      const double change = dual_price(loss, y[i], cost, 1).best(b[i] + r[i]) - b[i];
      b[i] += change;
      r -= change * k.col(i);
    }
  return objective(loss, k, y, b, lambda);
}

TEST(Dual, ReachesTheLeastObjectiveOfEveryLoss) {
  if (slow_run()) GTEST_SKIP();
  for (const Loss& loss : all_losses()) {
    Problem p(40, {loss});
    p.options.folds = 0;
    p.options.gammas = {2};
    p.options.lambdas = {0.01};
    p.options.tol = 1e-7;
    p.options.search.clip = {-1e9, 1e9};
    const CellFit fit = p.fit();
    const MatrixXd k = naive_gram(radial(2), p.x.view(), p.x.view());
    const VectorXd y = to_eigen(p.y.view()).col(0), b = to_eigen(fit.coef, 40).col(0);
    const double least = naive_objective(loss, k, y, 0.01);
    EXPECT_TRUE(fit.converged);
    EXPECT_LE(fit.gap, 1e-7);
    EXPECT_NEAR(objective(loss, k, y, b, 0.01), least, 1e-6 * least) << static_cast<int>(loss.type);
  }
}

TEST(Dual, BitsDoNotDependOnThreads) {
  Problem p(700, {{Type::pinball, 0.1, 0}, {Type::pinball, 0.5, 0}});
  p.options.gammas = {0.5, 2, 8};
  p.options.lambdas = {0.1, 1e-3};
  p.options.lead = 1;
  for (const index_t search_rows : {8000, 300}) {
    p.options.search_rows = search_rows;
    const CellFit one = p.fit(1), two = p.fit(2);
    EXPECT_EQ(one.coef, two.coef);
    EXPECT_EQ(one.surface.risk, two.surface.risk);
    EXPECT_EQ(one.held_out, two.held_out);
    EXPECT_EQ(one.tried.size(), two.tried.size());
  }
}

// The leading response alone decides on the pair.
TEST(Dual, SeveralResponsesFollowTheLead) {
  const Loss low{Type::pinball, 0.1, 0}, middle{Type::pinball, 0.5, 0};
  Problem both(200, {low, middle}), alone(200, {middle});
  alone.y = Data(200, 1);
  std::copy_n(both.y.values.begin() + 200, 200, alone.y.values.begin());
  both.options.lead = 1;
  const CellFit all = both.fit(), one = alone.fit();
  EXPECT_EQ(all.choice.gamma, one.choice.gamma);
  EXPECT_EQ(all.choice.lambda, one.choice.lambda);
  EXPECT_EQ(all.risks.size(), 2u);
  EXPECT_NEAR(all.risks[1], one.risks[0], 1e-6);
}

// A whole grid has the risks of all, a race those of the lead; the chosen pair has the accurate
// ones.
TEST(Dual, RisksOfEachResponseAreKept) {
  Problem p(150, {{Type::pinball, 0.1, 0}, {Type::pinball, 0.5, 0}});
  p.options.gammas = {0.5, 2};
  p.options.lambdas = {0.1, 1e-2, 1e-3};
  p.options.lead = 1;
  EXPECT_TRUE(p.fit().surface.each.empty());
  p.options.each = true;
  for (const bool race : {true, false}) {
    p.options.search.race = race;
    const CellFit fit = p.fit();
    const Surface& s = fit.surface;
    ASSERT_EQ(s.each.size(), 12u);
    for (std::size_t g = 0; g < 2; ++g)
      for (std::size_t l = 0; l < 3; ++l) {
        const std::size_t i = s.at(g, l);
        const bool chosen = s.gammas[g] == fit.choice.gamma && s.lambdas[l] == fit.choice.lambda;
        if (s.settled[i]) EXPECT_EQ(s.each[i + 6], s.risk[i]);
        EXPECT_EQ(std::isnan(s.each[i]), race && !chosen);
        if (chosen) EXPECT_EQ(s.each[i], fit.risks[0]);
      }
  }
}

}  // namespace
}  // namespace flexkern
