// Hierarchical kernels: values, derivatives and single-weight changes, for depths 1 to 4.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/hg_gram.h"
#include "core/solver/hg_cache.h"
#include "core/solver/hg_gradient.h"
#include "naive.h"

namespace flexkern {
namespace {

constexpr index_t kColumns = 5;

Hierarchy architecture(int depth) {
  const HierarchyNode a{true, {0, 1}, {0.8, 1.3}}, b{true, {1, 2, 3}, {0.5, 1.1, 0.7}};
  const HierarchyNode c{true, {4}, {1.2}}, d{true, {0, 3}, {0.9, 0.4}};
  const auto inner = [](std::vector<index_t> parts, std::vector<double> w) {
    return HierarchyNode{false, parts, w};
  };
  if (depth == 1) return {{{true, {0, 1, 2, 3, 4}, {0.8, 1.3, 0.5, 1.1, 0.7}}}};
  if (depth == 2) return {{a, b, c, inner({0, 1, 2}, {0.6, 0.9, 0.4})}};
  if (depth == 3)
    return {{a, b, c, d, inner({0, 1}, {0.6, 0.9}), inner({2, 3}, {0.8, 0.5}),
             inner({4, 5}, {0.7, 0.6})}};
  return {{a, b, inner({0, 1}, {0.6, 0.9}), c, inner({3}, {0.8}), inner({2, 4}, {1.1, 0.5}), d,
           inner({6}, {0.7}), inner({5, 7}, {0.9, 0.8})}};
}

// The squared distance of a node by the definition.
double naive_distance(const Hierarchy& h, std::size_t k, const Data& x, index_t i, const Data& z,
                      index_t j) {
  const HierarchyNode& node = h.nodes[k];
  double sum = 0;
  for (std::size_t c = 0; c < node.parts.size(); ++c) {
    const double w = node.weights[c] * node.weights[c];
    if (node.leaf)
      sum += w * std::pow(x(i, node.parts[c]) - z(j, node.parts[c]), 2);
    else
      sum += 2 * w * (1 - std::exp(-naive_distance(h, at(node.parts[c]), x, i, z, j)));
  }
  return sum;
}

MatrixXd naive_values(const Hierarchy& h, double gamma, const Data& x, const Data& z) {
  MatrixXd out(x.rows, z.rows);
  for (index_t i = 0; i < x.rows; ++i)
    for (index_t j = 0; j < z.rows; ++j)
      out(i, j) = std::exp(-gamma * naive_distance(h, h.nodes.size() - 1, x, i, z, j));
  return out;
}

class HierarchyTest : public testing::TestWithParam<std::tuple<const Micro*, int>> {
 protected:
  const Micro& micro() const { return *std::get<0>(GetParam()); }
  Hierarchy hierarchy() const { return architecture(std::get<1>(GetParam())); }
  const Data x_ = uniform_data(61, kColumns, 1), z_ = uniform_data(37, kColumns, 2);
  Context context_;
};

INSTANTIATE_TEST_SUITE_P(Depths, HierarchyTest,
                         testing::Combine(testing::ValuesIn(available_micro()),
                                          testing::Values(1, 2, 3, 4)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param)->name) +
                                  std::to_string(std::get<1>(info.param));
                         });

TEST_P(HierarchyTest, ValuesAreThoseOfTheDefinition) {
  const Hierarchy h = hierarchy();
  const MatrixXd expected = naive_values(h, 0.7, x_, z_);
  MatrixXd out(x_.rows, z_.rows);
  hierarchy_gram(Points(x_.view()).under(&h), z_.view(), 0.7, micro(),
                 {out.data(), x_.rows, z_.rows}, context_);
  EXPECT_LT((out - expected).cwiseAbs().maxCoeff(), 1e-13);

  HgTiles<double> tiles(x_.view(), z_.view(), micro());
  tiles.set(h);
  MatrixXd other(z_.rows, x_.rows);
  hierarchy_values(tiles, 0.7, other.data(), z_.rows, 2, context_);
  EXPECT_LT((other.transpose() - expected).cwiseAbs().maxCoeff(), 1e-13);

  HgTiles<float> single(x_.view(), z_.view(), micro());
  single.set(h);
  Eigen::MatrixXf rough(z_.rows, x_.rows);
  hierarchy_values(single, 0.7, rough.data(), z_.rows, 1, context_);
  EXPECT_LT((rough.cast<double>().transpose() - expected).cwiseAbs().maxCoeff(), 3e-6);
}

template <typename T>
std::vector<double> gradient(const Hierarchy& h, const Data& x, const Data& z, const Data& left,
                             const Data& right, const Micro& micro, int threads, Context& context) {
  HgTiles<T> tiles(x.view(), z.view(), micro);
  tiles.set(h);
  return hierarchy_gradient(tiles, 0.7, left.view(), right.view(), threads, context);
}

TEST_P(HierarchyTest, DerivativesAreThoseOfFiniteDifferences) {
  const Hierarchy h = hierarchy();
  const Data left = uniform_data(x_.rows, 3, 5), right = uniform_data(z_.rows, 3, 6);
  const MatrixXd c = to_eigen(left.view()) * to_eigen(right.view()).transpose();
  const auto found = gradient<double>(h, x_, z_, left, right, micro(), 1, context_);
  const auto rough = gradient<float>(h, x_, z_, left, right, micro(), 1, context_);
  ASSERT_EQ(found.size(), h.weights());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const WeightChange w = weight_at(h, i);
    const auto shifted = [&](double by) {
      Hierarchy other = h;
      other.nodes[w.node].weights[w.part] += by;
      return naive_values(other, 0.7, x_, z_).cwiseProduct(c).sum();
    };
    const double step = 1e-3;
    const double expected =
        (8 * (shifted(step) - shifted(-step)) - shifted(2 * step) + shifted(-2 * step)) /
        (12 * step);
    EXPECT_NEAR(found[i], expected, 1e-8 * std::max(1.0, std::fabs(expected))) << i;
    EXPECT_NEAR(rough[i], expected, 1e-3 * std::max(1.0, std::fabs(expected))) << i;
  }
  EXPECT_EQ(found, gradient<double>(h, x_, z_, left, right, micro(), 2, context_));
}

// Proposals as the annealer makes them, half of them accepted.
template <typename T>
double error_after(const Hierarchy& start, const Data& x, const Data& z, const Micro& micro,
                   int proposals, Context& context) {
  const Data coef = uniform_data(x.rows, 2, 8);
  HgCache<T> cache(x.view(), z.view(), micro, 2, context);
  cache.set(start, 0.7);
  cache.set_coef(coef.view());
  Rng rng(9, stream::kData);
  double worst = 0;
  MatrixXd found(z.rows, 2);
  const MatrixRef out(found.data(), z.rows, 2);
  for (int i = 0; i < proposals; ++i) {
    const auto expected = [&](const Hierarchy& h) {
      return MatrixXd(naive_values(h, 0.7, x, z).transpose() * to_eigen(coef.view()));
    };
    WeightChange change = weight_at(cache.hierarchy(), rng.below(start.weights()));
    // Factors that do not let the weights wander off.
    change.weight = weight_at(start, 0).weight * (0.5 + rng.uniform());
    cache.probe(change, out);
    if (i % 100 == 0 || i + 1 == proposals) {
      Hierarchy changed = cache.hierarchy();
      changed.nodes[change.node].weights[change.part] = change.weight;
      worst = std::max(worst, (found - expected(changed)).cwiseAbs().maxCoeff());
    }
    if (i % 2) cache.accept(change);
  }
  cache.decision(out);
  const MatrixXd last =
      naive_values(cache.hierarchy(), 0.7, x, z).transpose() * to_eigen(coef.view());
  return std::max(worst, (found - last).cwiseAbs().maxCoeff());
}

TEST_P(HierarchyTest, AThousandChangesAreAsFromScratch) {
  EXPECT_LT(error_after<double>(hierarchy(), x_, z_, micro(), 1000, context_), 1e-6);
  EXPECT_LT(error_after<float>(hierarchy(), x_, z_, micro(), 200, context_), 1e-3);
}

TEST_P(HierarchyTest, ThreadsChangeNoBitOfAProposal) {
  const Hierarchy h = hierarchy();
  const Data coef = uniform_data(x_.rows, 1, 8);
  std::vector<MatrixXd> found;
  for (const int threads : {1, 2, 3}) {
    HgCache<float> cache(x_.view(), z_.view(), micro(), threads, context_);
    cache.set(h, 1.5);
    cache.set_coef(coef.view());
    cache.accept({0, 1, 0.3});
    found.emplace_back(z_.rows, 1);
    cache.probe({h.nodes.size() - 1, 0, 1.7}, {found.back().data(), z_.rows, 1});
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

}  // namespace
}  // namespace flexkern
