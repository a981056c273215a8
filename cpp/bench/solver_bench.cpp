// The solvers: Cholesky factors, and the whole search and fit of one cell.
#include <benchmark/benchmark.h>

#include <cmath>

#include "core/model/cell.h"
#include "core/solver/cholesky.h"
#include "random_points.h"

namespace flexkern {
namespace {

using benchmark::Counter;
using benchmark::State;

// A matrix with a dominant diagonal.
void fill(Cholesky& cholesky, index_t n) {
  for (index_t j = 0; j < n; ++j)
    for (index_t i = j; i < n; ++i)
      cholesky.column(j)[i] = 1.0f / static_cast<float>(1 + i - j) + (i == j ? 2.0f : 0.0f);
}

void factor(State& state) {
  const index_t n = state.range(0);
  Context context;
  Cholesky cholesky(n, find_micro("auto"), static_cast<int>(state.range(1)), context);
  for (auto _ : state) {
    state.PauseTiming();
    fill(cholesky, n);
    state.ResumeTiming();
    benchmark::DoNotOptimize(cholesky.factor(0));
  }
  state.counters["flops"] =
      Counter(std::pow(static_cast<double>(n), 3) / 3, Counter::kIsIterationInvariantRate);
}

void substitute(State& state) {
  const index_t n = state.range(0), cols = state.range(1);
  Context context;
  Cholesky cholesky(n, find_micro("auto"), 1, context);
  fill(cholesky, n);
  cholesky.factor(0);
  Buffer<float> b(cholesky.order() * cols);
  for (auto _ : state) {
    std::fill_n(b.data(), b.size(), 0.0f);
    for (index_t c = 0; c < cols; ++c) b[c * cholesky.order()] = 1;
    cholesky.solve(b.data(), cols);
  }
}

// Two noisy waves over five columns.
void fit(State& state) {
  const index_t n = state.range(0), d = 5;
  const auto x = random_values<double>(n * d), noise = random_values<double>(n, 2);
  Buffer<double> y(n);
  for (index_t i = 0; i < n; ++i)
    y[i] = 0.7 * std::sin(6 * x[i] + 4 * x[n + i]) + 0.3 * (2 * noise[i] - 1);
  const CellData data{ConstMatrixRef(x.data(), n, d),
                      {y.data(), n, 1},
                      std::vector<double>(static_cast<std::size_t>(n), 1.0),
                      std::vector<int>(static_cast<std::size_t>(n), 0)};
  const auto device = make_device("cpu", "auto");
  CellFit result;
  for (auto _ : state) {
    Context context;
    result = fit_cell(data, CellOptions{}, *device, 0, static_cast<int>(state.range(1)), context);
  }
  state.counters["search_s"] = result.search_seconds;
  state.counters["solve_s"] = result.solve_seconds;
}

BENCHMARK(factor)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{400, 800, 1600}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(substitute)
    ->ArgNames({"n", "cols"})
    ->ArgsProduct({{400, 1600}, {1, 12}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fit)
    ->ArgNames({"n", "threads"})
    ->ArgsProduct({{500, 1000, 2000}, {1, 2}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flexkern
