#include "block_cg.h"

#include <algorithm>

#include "core/base/parallel.h"

namespace flexkern {
namespace {

double inner_product(const float* a, const float* b, index_t n) {
  double sum = 0;
  for (index_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

class BlockCg {
 public:
  BlockCg(GramMatrix& gram, const Micro& micro, const std::vector<CgColumn>& columns,
          LowRank* preconditioner, int threads, Context& context)
      : gram_(gram),
        micro_(micro),
        columns_(columns),
        preconditioner_(preconditioner),
        threads_(threads),
        context_(context),
        stride_(gram.stride()) {
    const index_t block = stride_ * static_cast<index_t>(columns.size());
    for (Buffer<float>* buffer : {&p_, &in_, &out_, &work_}) *buffer = Buffer<float>(block);
    std::fill_n(p_.data(), block, 0.0f);
  }

  index_t run(float* b, float* u, double reduction, index_t max_iter) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const index_t at = static_cast<index_t>(c) * stride_;
      State s{c, 0, 0, 0, b + at, u + at, p_.data() + at};
      s.rr = inner_product(s.r, s.r, stride_);
      s.target = s.rr * reduction * reduction;
      if (s.rr > 0) active_.push_back(s);
    }
    index_t steps = 0;
    while (!active_.empty() && steps < max_iter) {
      turn();
      step();
      ++steps;
      active_.erase(std::remove_if(active_.begin(), active_.end(),
                                   [](const State& s) { return s.rr <= s.target; }),
                    active_.end());
    }
    return steps;
  }

 private:
  struct State {
    std::size_t column;
    double rr, rz, target;
    float *r, *u, *p;
  };

  template <typename F>
  void for_active(F f) {
    const index_t count = static_cast<index_t>(active_.size());
    const int crew = stride_ * count < kSerialBlock ? 1 : threads_;
    parallel_for(count, crew, context_,
                 [&](index_t a, int) { f(active_[static_cast<std::size_t>(a)], a * stride_); });
  }

  // z = M r, beta = r'z / (r'z before), p = z + beta p.
  void turn() {
    for_active([&](State& s, index_t at) { std::copy_n(s.r, stride_, in_.data() + at); });
    const float* z = in_.data();
    if (preconditioner_) {
      std::vector<int> folds;
      for (const State& s : active_) folds.push_back(columns_[s.column].fold);
      preconditioner_->apply(folds, in_.data(), out_.data());
      z = out_.data();
    }
    for_active([&](State& s, index_t at) {
      const double rz = inner_product(s.r, z + at, stride_);
      const float beta = s.rz > 0 ? static_cast<float>(rz / s.rz) : 0.0f;
      s.rz = rz;
      for (index_t i = 0; i < stride_; ++i) s.p[i] = z[at + i] + beta * s.p[i];
    });
  }

  void step() {
    for_active([&](State& s, index_t at) {
      const float* mask = columns_[s.column].mask;
      for (index_t i = 0; i < stride_; ++i) in_[at + i] = mask[i] * s.p[i];
    });
    gram_.multiply(in_.data(), static_cast<index_t>(active_.size()), out_.data());
    for_active([&](State& s, index_t at) { advance(s, out_.data() + at, work_.data() + at); });
  }

  // One step along p, given product = K S p; `work` takes S K S p.
  void advance(State& s, const float* product, float* work) {
    const CgColumn& column = columns_[s.column];
    const double pp = inner_product(s.p, s.p, stride_);
    const double curvature =
        micro_.mask_dot(stride_, column.mask, product, s.p, work) + column.shift * pp;
    if (!(curvature > 0) || !(s.rz > 0)) {  // rounding has the upper hand
      s.rr = 0;
      return;
    }
    const double alpha = s.rz / curvature;
    micro_.axpy(stride_, static_cast<float>(alpha), s.p, s.u);
    s.rr = micro_.orthogonalise(stride_, static_cast<float>(alpha), work,
                                static_cast<float>(alpha * column.shift), s.p, s.r);
  }

  GramMatrix& gram_;
  const Micro& micro_;
  const std::vector<CgColumn>& columns_;
  LowRank* preconditioner_;
  int threads_;
  Context& context_;
  index_t stride_;
  Buffer<float> p_, in_, out_, work_;
  std::vector<State> active_;
};

}  // namespace

index_t block_cg(GramMatrix& gram, const Micro& micro, const std::vector<CgColumn>& columns,
                 LowRank* preconditioner, float* b, float* u, double reduction, index_t max_iter,
                 int threads, Context& context) {
  return BlockCg(gram, micro, columns, preconditioner, threads, context)
      .run(b, u, reduction, max_iter);
}

}  // namespace flexkern
