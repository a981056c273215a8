// The tile engine: micro-kernels per instruction set, the Gram matrix and its products.
#include <benchmark/benchmark.h>

#include <string>

#include "core/device/device.h"
#include "random_points.h"

namespace flexkern {
namespace {

using benchmark::Counter;
using benchmark::State;

void count_rate(State& state, const char* name, double per_iteration) {
  state.counters[name] = Counter(per_iteration, Counter::kIsIterationInvariantRate);
}

template <typename T, typename Gemm>
void run_gemm(State& state, Gemm gemm, index_t cols) {
  const index_t depth = 256;
  const auto a = random_values<T>(kPanel * depth), b = random_values<T>(cols * depth);
  const auto c = random_values<T>(kPanel * cols);
  for (auto _ : state) {
    gemm(depth, a.data(), b.data(), c.data(), kPanel);
    benchmark::ClobberMemory();
  }
  count_rate(state, "flops", 2.0 * kPanel * static_cast<double>(cols * depth));
}

template <typename T, typename Exp>
void run_exp(State& state, Exp exp) {
  const index_t n = 4096;
  const auto in = random_values<T>(n);
  Buffer<T> out(n);
  for (auto _ : state) {
    exp(n, T(-10), in.data(), out.data());
    benchmark::ClobberMemory();
  }
  count_rate(state, "values", static_cast<double>(n));
}

void gram_build(State& state, const Micro* micro) {
  const index_t n = state.range(0), d = state.range(1);
  const auto points = random_values<double>(n * d);
  const auto device = make_device("cpu", micro->name);
  Context context;
  for (auto _ : state) {
    const auto gram = device->gram(ConstMatrixRef(points.data(), n, d), Kernel{}, 1, context);
    gram->set_gamma(1);
  }
  count_rate(state, "entries", static_cast<double>(n * n));
}

void gram_product(State& state, const Micro* micro) {
  const index_t n = state.range(0), cols = state.range(1);
  const int threads = static_cast<int>(state.range(2));
  const auto points = random_values<double>(n * 5);
  Context context;
  const auto device = make_device("cpu", micro->name);
  const auto gram = device->gram(ConstMatrixRef(points.data(), n, 5), Kernel{}, threads, context);
  gram->set_gamma(1);
  Buffer<float> in(gram->stride() * cols), out(in.size());
  std::fill_n(in.data(), in.size(), 0.5f);
  for (auto _ : state) gram->multiply(in.data(), cols, out.data());
  count_rate(state, "flops", 2.0 * static_cast<double>(n) * static_cast<double>(n * cols));
}

void register_micro(const Micro* m) {
  const std::string name = m->name;
  benchmark::RegisterBenchmark(("gemm_f32/" + name).c_str(),
                               [m](State& s) { run_gemm<float>(s, m->gemm_f32, m->cols_f32); });
  benchmark::RegisterBenchmark(("gemm_f64/" + name).c_str(),
                               [m](State& s) { run_gemm<double>(s, m->gemm_f64, m->cols_f64); });
  benchmark::RegisterBenchmark(("exp_f32/" + name).c_str(),
                               [m](State& s) { run_exp<float>(s, m->exp_f32); });
  benchmark::RegisterBenchmark(("exp_f64/" + name).c_str(),
                               [m](State& s) { run_exp<double>(s, m->exp_f64); });
}

void register_gram(const Micro* m) {
  const std::string name = m->name;
  benchmark::RegisterBenchmark(("gram_build/" + name).c_str(), gram_build, m)
      ->ArgNames({"n", "d"})
      ->ArgsProduct({{500, 1000, 2000}, {5, 50}})
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("gram_product/" + name).c_str(), gram_product, m)
      ->ArgNames({"n", "cols", "threads"})
      ->ArgsProduct({{500, 1000, 2000}, {1, 5, 12, 48}, {1, 2}})
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  for (const Micro* m : available_micro()) {
    register_micro(m);
    register_gram(m);
  }
  return true;
}();

}  // namespace
}  // namespace flexkern
