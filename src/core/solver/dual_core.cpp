#include "dual_core.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// A price that keeps a coefficient at zero.
constexpr float kForbidden = 1e30f;
// Moves of two coordinates in turn that find their common best.
constexpr int kTurns = 8;

DualKernel dual_kernel(Loss::Type type, const Micro& micro) {
  switch (type) {
    case Loss::Type::epsilon:
      return micro.dual_epsilon;
    case Loss::Type::expectile:
    case Loss::Type::least_squares:
      return micro.dual_expectile;
    default:
      return micro.dual_box;
  }
}

}  // namespace

DualCore::DualCore(Loss::Type type, const Micro& micro, index_t n)
    : micro_(micro),
      kernel_(dual_kernel(type, micro)),
      n_(n),
      stride_(round_up(n, kPanel)),
      price_(at(n)),
      value_(at(n), 0.0),
      r_(stride_) {
  std::fill_n(r_.data(), stride_, 0.0f);
  for (Buffer<float>& p : parameter_) {
    p = Buffer<float>(stride_);
    std::fill_n(p.data(), stride_, 0.0f);
  }
}

// Tells the passes what coordinate i may do.
void DualCore::show(index_t i) {
  const DualPrice& p = price_[at(i)];
  const double value = value_[at(i)];
  if (kernel_ == micro_.dual_box) {
    parameter_[0][i] = static_cast<float>(p.low - value);
    parameter_[1][i] = static_cast<float>(p.high - value);
    return;
  }
  parameter_[0][i] = static_cast<float>(value);
  if (kernel_ == micro_.dual_epsilon) {
    parameter_[1][i] = static_cast<float>(p.low - value);
    parameter_[2][i] = static_cast<float>(p.high - value);
    parameter_[3][i] = static_cast<float>(p.linear);
  } else {
    const bool fixed = p.low == p.high;
    parameter_[1][i] = fixed ? kForbidden : static_cast<float>(p.square_pos);
    parameter_[2][i] = fixed ? kForbidden : static_cast<float>(p.square_neg);
  }
}

// The common best of two coordinates, found by moving them in turn.
void DualCore::move_pair(index_t i, index_t j) {
  const double q = row(i)[j];
  double ri = r_[i], rj = r_[j];
  double& bi = value_[at(i)];
  double& bj = value_[at(j)];
  for (int turn = 0; turn < kTurns; ++turn) {
    const double di = price_[at(i)].best(bi + ri) - bi;
    bi += di;
    ri -= di;
    rj -= q * di;
    const double dj = j == i ? 0 : price_[at(j)].best(bj + rj) - bj;
    bj += dj;
    rj -= dj;
    ri -= q * dj;
    if (std::fabs(q * dj) <= 1e-7 * std::fabs(ri + bi)) break;
  }
  show(i);
  show(j);
}

DualPass DualCore::still() const {
  return {{rows_, rows_},
          {0, 0},
          r_.data(),
          {parameter_[0].data(), parameter_[1].data(), parameter_[2].data(), parameter_[3].data()}};
}

double DualCore::best_gain() const { return kernel_(still(), 0, stride_).gain; }

index_t DualCore::step(index_t count, double least) {
  const index_t half = round_up(stride_ / 2, kPanel);
  DualPass pass = still();
  for (index_t done = 0;; ++done) {
    const DualBest one = kernel_(pass, 0, half), two = kernel_(pass, half, stride_);
    const bool first = one.gain >= two.gain;
    const DualBest& best = first ? one : two;
    const DualBest& other = first ? two : one;
    if (done == count || !(best.gain > least)) return done;
    const index_t i = best.at, j = other.gain > 0 ? other.at : i;
    const double bi = value_[at(i)], bj = value_[at(j)];
    move_pair(i, j);
    pass.row[0] = row(i);
    pass.row[1] = row(j);
    pass.step[0] = static_cast<float>(value_[at(i)] - bi);
    pass.step[1] = j == i ? 0 : static_cast<float>(value_[at(j)] - bj);
  }
}

}  // namespace flexkern
