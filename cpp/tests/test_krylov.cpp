#include <gtest/gtest.h>

#include "core/solver/factor_risk.h"
#include "core/solver/krylov.h"
#include "core/solver/search.h"
#include "core/solver/tridiagonal.h"
#include "naive.h"

namespace flexkern {
namespace {

const std::vector<double> kLambdas = {0.1, 1e-2, 1e-3, 1e-4};
const Clip kClip{-1, 1};

struct Setting {
  Data x, y;
  Validation validation;
  Kernel kernel;
  int threads = 1;
};

// The Krylov process on one setting, beside exact solutions.
class Process {
 public:
  Process(const Setting& s, const Micro& micro)
      : s_(s), micro_(micro), gram_(device_for(micro)->gram(s.x.view(), s.kernel, s.threads, c_)) {
    gram_->set_gamma(s.kernel.gamma);
    plan_ = std::make_unique<FoldPlan>(s.validation.plan(gram_->stride()));
    path_ = std::make_unique<KrylovPath>(*plan_, s.y.view(), *gram_, micro, s.threads, c_);
  }
  KrylovPath& path() { return *path_; }
  void advance(index_t steps) {
    while (!path_->exhausted() && path_->steps() < steps) path_->step();
  }
  std::vector<KrylovPath::Estimate> estimates() const { return path_->evaluate(kLambdas, kClip); }
  std::vector<double> truth() const {
    const MatrixXd gram = naive_gram(s_.kernel, s_.x.view(), s_.x.view());
    std::vector<double> risks;
    for (const double lambda : kLambdas)
      risks.push_back(naive_risk(gram, to_eigen(s_.y.view()), s_.validation, lambda, kClip));
    return risks;
  }
  double direct(double lambda) {
    return FactorRisk(*plan_, s_.y.view(), kClip, *gram_, micro_, s_.threads, c_, 1e-6)(lambda);
  }
  // All risks agree with exact ones: those of factorisations to 1e-4, those of the process up to
  // rounding in single precision, which grows as the penalty falls.
  void expect_exact() {
    const auto estimates = this->estimates();
    const auto risks = truth();
    for (std::size_t l = 0; l < risks.size(); ++l) {
      const double share = 1e-5 + 4e-7 / kLambdas[l];
      EXPECT_NEAR(estimates[l].risk, risks[l], share * risks[l] + 1e-9) << kLambdas[l];
      EXPECT_LT(estimates[l].residual, 1e-3) << kLambdas[l];
      EXPECT_NEAR(direct(kLambdas[l]), risks[l], 1e-4 * risks[l] + 1e-9) << kLambdas[l];
    }
  }

 private:
  const Setting& s_;
  const Micro& micro_;
  Context c_;
  std::unique_ptr<GramMatrix> gram_;
  std::unique_ptr<FoldPlan> plan_;
  std::unique_ptr<KrylovPath> path_;
};

Setting setting(index_t n, index_t d, index_t responses, double gamma, double noise) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, noise, 2), deal(n, 4), radial(gamma), 1};
}

class KrylovTest : public testing::TestWithParam<const Micro*> {};

INSTANTIATE_TEST_SUITE_P(Sets, KrylovTest, testing::ValuesIn(available_micro()),
                         [](const auto& info) { return std::string(info.param->name); });

TEST_P(KrylovTest, RisksAreThoseOfExactSolutions) {
  for (const double gamma : {0.1, 2.0, 50.0})
    for (const index_t responses : {1, 3}) {
      const Setting s = setting(110, 2, responses, gamma, 0.3);
      Process process(s, *GetParam());
      process.advance(110);
      process.expect_exact();
    }
}

TEST_P(KrylovTest, RisksWithWeightsSomeOfThemZero) {
  Setting s = setting(130, 3, 2, 1.0, 0.3);
  s.validation.weights = exact_weights(130, 3);
  Process process(s, *GetParam());
  process.advance(130);
  process.expect_exact();
}

TEST_P(KrylovTest, RowsThatAreNeverHeldOutTrainAllFolds) {
  Setting s = setting(100, 2, 1, 2.0, 0.2);
  for (index_t i = 0; i < 100; i += 3) s.validation.fold[at(i)] = -1;
  Process process(s, *GetParam());
  process.advance(100);
  process.expect_exact();
}

TEST_P(KrylovTest, OneStepIsTheBestMultipleOfTheResponse) {
  const Setting s = setting(60, 2, 1, 1.0, 0.1);
  Process process(s, *GetParam());
  process.advance(1);
  const MatrixXd gram = naive_gram(s.kernel, s.x.view(), s.x.view()), y = to_eigen(s.y.view());
  double worst = 0;
  for (int f = 0; f < 4; ++f) {
    const VectorXd w = s.validation.training_weights(f), b = w.cwiseProduct(VectorXd(y));
    const VectorXd image = w.asDiagonal() * (gram * b) + kLambdas[0] * w.sum() * b;
    const VectorXd rest = b - image * (image.dot(b) / image.squaredNorm());
    worst = std::max(worst, rest.norm() / b.norm());
  }
  EXPECT_NEAR(process.estimates()[0].residual, worst, 1e-5);
}

TEST_P(KrylovTest, ResidualsNeverRise) {
  const Setting s = setting(120, 2, 2, 5.0, 0.3);
  Process process(s, *GetParam());
  auto before = process.estimates();
  for (index_t step = 1; step <= 100 && !process.path().exhausted(); ++step) {
    process.advance(step);
    const auto now = process.estimates();
    for (std::size_t l = 0; l < now.size() && step > 1; ++l)
      ASSERT_LE(now[l].residual, before[l].residual * (1 + 1e-9)) << step;
    before = now;
  }
}

// Five distinct points: six dimensions hold the solutions, and rounding needs a few more.
TEST_P(KrylovTest, FewDistinctPointsNeedFewSteps) {
  Setting s = setting(120, 1, 2, 1.0, 0.5);
  for (index_t i = 0; i < 120; ++i) s.x(i, 0) = static_cast<double>(i * i * i % 5) / 2.5 - 1;
  for (const index_t steps : {15, 40}) {
    Process process(s, *GetParam());
    process.advance(steps);
    process.expect_exact();
  }
}

TEST_P(KrylovTest, LinearKernelsOfLowRankNeedFewSteps) {
  Setting s = setting(90, 3, 1, 1.0, 0.3);
  s.kernel = linear();
  for (const index_t steps : {6, 40}) {
    Process process(s, *GetParam());
    process.advance(steps);
    process.expect_exact();
  }
}

// The space ends once no direction is left: here at once, as all points are one.
TEST_P(KrylovTest, OnePointManyTimesExhaustsTheSpace) {
  Setting s = setting(60, 1, 1, 1.0, 0.5);
  std::fill(s.x.values.begin(), s.x.values.end(), 0.3);
  s.y.values.assign(60, 0.5);
  Process process(s, *GetParam());
  process.advance(60);
  EXPECT_TRUE(process.path().exhausted());
  EXPECT_LE(process.path().steps(), 2);
  process.expect_exact();
}

TEST_P(KrylovTest, NoMoreStepsThanTrainingRows) {
  Setting s = setting(12, 2, 1, 50.0, 0.5);
  Process process(s, *GetParam());
  process.advance(100);
  EXPECT_TRUE(process.path().exhausted());
  EXPECT_LE(process.path().steps(), 9);
  process.expect_exact();
}

TEST_P(KrylovTest, DuplicatesWithDifferentLabels) {
  Setting s = setting(100, 2, 1, 3.0, 0.5);
  for (index_t i = 0; i < 50; ++i)
    for (index_t k = 0; k < 2; ++k) s.x(99 - i, k) = s.x(i, k);
  Process process(s, *GetParam());
  process.advance(100);
  process.expect_exact();
}

TEST_P(KrylovTest, ResponsesOfZerosHaveNoSpace) {
  Setting s = setting(70, 2, 2, 1.0, 0.2);
  for (index_t i = 0; i < 70; ++i) s.y(i, 0) = i % 4 == 2 ? 0.5 : 0;
  Process process(s, *GetParam());
  process.advance(70);
  process.expect_exact();
}

TEST_P(KrylovTest, ThreadsGiveTheSameBits) {
  Setting s = setting(slow_run() ? 150 : 900, 3, 3, 2.0, 0.3);
  std::vector<KrylovPath::Estimate> one;
  for (const int threads : {1, 2, 4}) {
    s.threads = threads;
    Process process(s, *GetParam());
    process.advance(20);
    const auto now = process.estimates();
    if (threads == 1) one = now;
    for (std::size_t l = 0; l < now.size(); ++l) {
      EXPECT_EQ(now[l].risk, one[l].risk);
      EXPECT_EQ(now[l].residual, one[l].residual);
    }
  }
}

TEST(Tridiagonal, IsTheLeastSquaresSolution) {
  for (const std::size_t t : {1u, 2u, 3u, 10u}) {
    const Data values = uniform_data(static_cast<index_t>(t), 2, 4);
    std::vector<double> alpha(t), beta(t), z(t);
    for (std::size_t j = 0; j < t; ++j) {
      alpha[j] = values(static_cast<index_t>(j), 0);
      beta[j] = 1.1 + values(static_cast<index_t>(j), 1);
    }
    const index_t m = static_cast<index_t>(t);
    MatrixXd h = MatrixXd::Zero(m + 1, m);
    for (index_t j = 0; j < m; ++j) {
      h(j, j) = alpha[at(j)] + 0.7;
      h(j + 1, j) = beta[at(j)];
      if (j + 1 < m) h(j, j + 1) = beta[at(j)];
    }
    const VectorXd b = 3 * VectorXd::Unit(m + 1, 0), truth = h.colPivHouseholderQr().solve(b);
    const double residual = solve_shifted(alpha, beta, 0.7, 3, z);
    EXPECT_NEAR(residual, (b - h * truth).norm() / 3, 1e-12);
    for (index_t j = 0; j < m; ++j) EXPECT_NEAR(z[at(j)], truth[j], 1e-11);
  }
}

// Where every pair is computed to the end, the starts are short beside the visits.
TEST(Search, TheShareDoneGrowsToOne) {
  const Data x = uniform_data(150, 2, 1), y = waves(x, 1, 0.4, 2);
  const Validation validation = deal(150, 3);
  const Points points(x.view());
  const Kernel kernel = radial(1);
  const auto device = device_for(*available_micro().front());
  Context context;
  const auto gram = device->gram(points, kernel, 1, context);
  const FoldPlan plan = validation.plan(gram->stride());
  for (const bool race : {true, false}) {
    SearchOptions options;
    options.race = race;
    std::vector<double> shares;
    const SearchTask task{
        plan,    y.view(), points,  kernel,  *gram,
        *device, 1,        options, context, [&](double s) { shares.push_back(s); }};
    Surface surface({0.1, 1, 10}, kLambdas);
    search_krylov(task, surface);
    ASSERT_EQ(shares.size(), 6u);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_NEAR(shares[2], race ? 0.5 : 1.0 / 6, 1e-12);
    EXPECT_NEAR(shares.back(), 1, 1e-12);
  }
}

}  // namespace
}  // namespace flexkern
