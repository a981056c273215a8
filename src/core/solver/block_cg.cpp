#include "block_cg.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

struct State {
  std::size_t column;
  double rr = 0, target = 0;
  float *r, *u, *p;
};

double squared_norm(const float* v, index_t n) {
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += static_cast<double>(v[i]) * v[i];
  return sum;
}

// p = r + beta p, and the squared norm of the new p.
double turn(const float* r, double beta, float* p, index_t n) {
  const float b = static_cast<float>(beta);
  for (index_t i = 0; i < n; ++i) p[i] = r[i] + b * p[i];
  return squared_norm(p, n);
}

// One step along p, given product = K S p; `work` holds S K S p.
void advance(State& s, const CgColumn& column, const float* product, float* work, index_t stride,
             const Micro& micro) {
  const double pp = squared_norm(s.p, stride);
  const double curvature =
      micro.mask_dot(stride, column.mask, product, s.p, work) + column.shift * pp;
  if (!(curvature > 0)) {  // rounding has the upper hand: leave the rest to the refinement
    s.rr = 0;
    return;
  }
  const double alpha = s.rr / curvature;
  micro.axpy(stride, static_cast<float>(alpha), s.p, s.u);
  const double before = s.rr;
  s.rr = micro.orthogonalise(stride, static_cast<float>(alpha), work,
                             static_cast<float>(alpha * column.shift), s.p, s.r);
  turn(s.r, s.rr / before, s.p, stride);
}

}  // namespace

index_t block_cg(GramMatrix& gram, const Micro& micro, const std::vector<CgColumn>& columns,
                 float* b, float* u, double reduction, index_t max_iter, int threads,
                 Context& context) {
  const index_t stride = gram.stride();
  const index_t all = static_cast<index_t>(columns.size());
  Buffer<float> p(stride * all), in(stride * all), out(stride * all), work(stride * all);
  std::vector<State> active;
  for (index_t c = 0; c < all; ++c) {
    State s{static_cast<std::size_t>(c), 0, 0, b + c * stride, u + c * stride,
            p.data() + c * stride};
    std::copy_n(s.r, stride, s.p);
    s.rr = squared_norm(s.r, stride);
    s.target = s.rr * reduction * reduction;
    if (s.rr > 0) active.push_back(s);
  }
  index_t steps = 0;
  while (!active.empty() && steps < max_iter) {
    const index_t count = static_cast<index_t>(active.size());
    const int crew = stride * count < 20000 ? 1 : threads;
    parallel_for(count, crew, context, [&](index_t a, int) {
      const State& s = active[static_cast<std::size_t>(a)];
      const float* mask = columns[s.column].mask;
      for (index_t i = 0; i < stride; ++i) in[a * stride + i] = mask[i] * s.p[i];
    });
    gram.multiply(in.data(), count, out.data());
    parallel_for(count, crew, context, [&](index_t a, int) {
      State& s = active[static_cast<std::size_t>(a)];
      advance(s, columns[s.column], out.data() + a * stride, work.data() + a * stride, stride,
              micro);
    });
    ++steps;
    active.erase(std::remove_if(active.begin(), active.end(),
                                [](const State& s) { return s.rr <= s.target; }),
                 active.end());
  }
  return steps;
}

}  // namespace flexkern
