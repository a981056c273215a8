#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/solver/held_out.h"
#include "random_data.h"

namespace flexkern {
namespace {

using Type = Loss::Type;

struct Rows {
  std::vector<double> y, f, w;
};

Rows random_rows(std::size_t n, std::uint64_t seed, bool ties) {
  const Data d = uniform_data(static_cast<index_t>(n), 3, seed);
  Rows out;
  for (std::size_t i = 0; i < n; ++i) {
    const index_t at = static_cast<index_t>(i);
    const auto round = [ties](double v) { return ties ? std::floor(4 * v) / 4 : v; };
    out.y.push_back(round(d(at, 0)));
    out.f.push_back(round(d(at, 1)));
    out.w.push_back(ties ? 1.0 : 0.1 + std::fabs(d(at, 2)));
  }
  return out;
}

double loss_at(const Loss& loss, const Rows& rows, double b) {
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    sum += rows.w[i] * loss(rows.y[i], rows.f[i] + b);
    weight += rows.w[i];
  }
  return sum / weight;
}

HeldOutRisk risk_of(const std::vector<Loss>& losses, const Rows& rows, const Clip& clip) {
  HeldOutRisk risk(losses, clip, false);
  for (std::size_t i = 0; i < rows.y.size(); ++i) risk.add({rows.y[i]}, {rows.f[i]}, {rows.w[i]});
  return risk;
}

const Clip kNoClip{-100, 100};

TEST(HeldOut, OffsetsOfLevelsHaveTheLeastLoss) {
  for (const Type type : {Type::pinball, Type::expectile})
    for (const double tau : {0.02, 0.1, 0.5, 0.75, 0.9})
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const std::vector<Loss> losses{{type, tau, 0}};
        const Rows rows = random_rows(5 + 7 * seed, seed, seed % 2 == 0);
        const HeldOutRisk risk = risk_of(losses, rows, kNoClip);
        const double best = loss_at(losses[0], rows, risk.offset(0));
        EXPECT_NEAR(risk.value(), best, 1e-12);
        EXPECT_NEAR(risk.value(0), best, 1e-12);
        for (double b = -2; b <= 2; b += 0.01)
          ASSERT_LE(best, loss_at(losses[0], rows, b) + 1e-12) << tau << " " << seed << " " << b;
      }
}

TEST(HeldOut, AMedianBetweenTwoRowsIsTheirMiddle) {
  const std::vector<Loss> losses{{Type::pinball, 0.5, 0}};
  EXPECT_EQ(risk_of(losses, {{3, 1, 4, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}}, kNoClip).offset(0), 2.5);
  EXPECT_EQ(risk_of(losses, {{3, 1, 4}, {0, 0, 0}, {1, 1, 1}}, kNoClip).offset(0), 3);
}

TEST(HeldOut, OtherLossesHaveNoOffset) {
  const Rows rows = random_rows(20, 1, false);
  for (const Type type : {Type::least_squares, Type::epsilon}) {
    const std::vector<Loss> losses{{type, 0.5, 0.1}};
    const HeldOutRisk risk = risk_of(losses, rows, kNoClip);
    EXPECT_EQ(risk.offset(0), 0);
    EXPECT_NEAR(risk.value(), loss_at(losses[0], rows, 0), 1e-12);
  }
}

TEST(HeldOut, ValuesAreClippedAfterTheOffset) {
  const std::vector<Loss> losses{{Type::pinball, 0.5, 0}};
  const HeldOutRisk risk = risk_of(losses, {{1, -1}, {3, -1}, {1, 1}}, {-1, 1});
  EXPECT_DOUBLE_EQ(risk.offset(0), -1);
  EXPECT_EQ(risk.value(), 0);
}

TEST(HeldOut, AValueFarBeyondTheClipMovesAnExpectileNoMoreThanOneAtIt) {
  const Rows wild{{1, 0.5, 0.2}, {-500, 0.3, 0.1}, {1, 1, 1}};
  const Rows tame{wild.y, {-1, 0.3, 0.1}, wild.w};
  for (const double tau : {0.1, 0.5, 0.9}) {
    const std::vector<Loss> losses{{Type::expectile, tau, 0}};
    EXPECT_EQ(risk_of(losses, wild, {-1, 1}).offset(0), risk_of(losses, tame, {-1, 1}).offset(0));
    EXPECT_GT(risk_of(losses, wild, kNoClip).offset(0), 1);
  }
}

TEST(HeldOut, WithoutRowsOrWithNaNThereIsNoRisk) {
  const std::vector<Loss> losses{{Type::pinball, 0.5, 0}};
  EXPECT_TRUE(std::isnan(risk_of(losses, {}, kNoClip).value()));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const HeldOutRisk risk = risk_of(losses, {{1, 2}, {0, nan}, {1, 1}}, kNoClip);
  EXPECT_EQ(risk.offset(0), 0);
  EXPECT_TRUE(std::isnan(risk.value()));
}

}  // namespace
}  // namespace flexkern
