// The validation risk and its derivatives against exact solutions and finite differences.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/hg_gram.h"
#include "core/solver/implicit_risk.h"
#include "naive.h"

namespace flexkern {
namespace {

struct ImplicitRiskTest : testing::Test {
  static constexpr index_t kRows = 90, kTrain = 60;
  const Data x = uniform_data(kRows, 3, 1), y = uniform_data(kRows, 2, 2);
  std::vector<double> weights = std::vector<double>(kRows, 1.0);
  const Hierarchy start{
      {{true, {0, 1}, {1.5, 0.8}}, {true, {1, 2}, {0.7, 1.2}}, {false, {0, 1}, {0.9, 1.1}}}};
  const double shift = 0.5;
  Context context;

  void SetUp() override {
    for (index_t i = 0; i < kRows; ++i) weights[at(i)] = 0.5 + 0.01 * static_cast<double>(i);
  }
  MatrixXd gram(const Hierarchy& h) {
    MatrixXd out(kRows, kRows);
    hierarchy_gram(Points(x.view()).under(&h), x.view(), 1, find_micro("auto"),
                   {out.data(), kRows, kRows}, context);
    return out;
  }
  // The machine by a dense solution, its weights with mean 1, and the weighted mean loss on the
  // other rows.
  double exact(const Hierarchy& h, double shift_now) {
    const MatrixXd k = gram(h), labels = to_eigen(y.view());
    MatrixXd system = k.topLeftCorner(kTrain, kTrain);
    double mean = 0;
    for (index_t i = 0; i < kTrain; ++i) mean += weights[at(i)] / kTrain;
    for (index_t i = 0; i < kTrain; ++i) system(i, i) += shift_now * mean / weights[at(i)];
    const MatrixXd coef = system.ldlt().solve(labels.topRows(kTrain));
    const MatrixXd error =
        k.bottomLeftCorner(kRows - kTrain, kTrain) * coef - labels.bottomRows(kRows - kTrain);
    double sum = 0, total = 0;
    for (index_t j = 0; j < error.rows(); ++j) {
      sum += weights[at(kTrain + j)] * error.row(j).squaredNorm() / 2;
      total += weights[at(kTrain + j)];
    }
    return sum / total;
  }
};

TEST_F(ImplicitRiskTest, IsTheRiskOfTheExactMachine) {
  ImplicitRisk risk({x.view(), y.view(), weights, kTrain}, find_micro("auto"), 2, context);
  EXPECT_NEAR(risk.value(start, shift), exact(start, shift), 1e-5);
}

TEST_F(ImplicitRiskTest, DerivativesFollowTheMachine) {
  ImplicitRisk risk({x.view(), y.view(), weights, kTrain}, find_micro("auto"), 1, context);
  risk.value(start, shift);
  const std::vector<double> found = risk.gradient();
  ASSERT_EQ(found.size(), start.weights() + 1);
  const double step = 1e-5;
  std::size_t i = 0;
  for (std::size_t k = 0; k < start.nodes.size(); ++k)
    for (std::size_t c = 0; c < start.nodes[k].weights.size(); ++c, ++i) {
      Hierarchy up = start, down = start;
      up.nodes[k].weights[c] += step;
      down.nodes[k].weights[c] -= step;
      EXPECT_NEAR(found[i], (exact(up, shift) - exact(down, shift)) / (2 * step), 1e-5) << i;
    }
  const double by_log =
      (exact(start, shift * std::exp(step)) - exact(start, shift * std::exp(-step))) / (2 * step);
  EXPECT_NEAR(found[i], by_log, 1e-5);
}

TEST_F(ImplicitRiskTest, ThreadsChangeNoBit) {
  std::vector<double> found[2];
  for (const int threads : {1, 2}) {
    ImplicitRisk risk({x.view(), y.view(), weights, kTrain}, find_micro("auto"), threads, context);
    risk.value(start, shift);
    found[threads - 1] = risk.gradient();
  }
  EXPECT_EQ(found[0], found[1]);
}

}  // namespace
}  // namespace flexkern
