#include "dual_newton.h"

#include <algorithm>
#include <numeric>

#include "cholesky.h"

namespace flexkern {
namespace {

// The matrix is shifted by so much a row.
constexpr double kShift = 3e-7;
// m coordinates step anew when one and m^2 / kStops of them have reached a bound.
constexpr std::size_t kStops = 10000;

class NewtonStep {
 public:
  NewtonStep(const DualCore& core, const std::vector<index_t>& free, const Micro& micro,
             Context& context)
      : core_(core),
        micro_(micro),
        context_(context),
        rows_(free),
        place_(free.size()),
        change_(free.size(), 0.0) {
    std::iota(place_.begin(), place_.end(), std::size_t{0});
    for (const index_t i : free) slope_.push_back(core.slope(i, core.side(i)));
  }

  NewtonChange run() {
    double time = 0;
    for (std::size_t before = 0; !rows_.empty() && rows_.size() != before;) {
      before = rows_.size();
      const double m = static_cast<double>(before);
      time += m * m * m / 120 + 4 * m * m;
      if (!solve()) return {{}, time};
      measure();
      advance();
    }
    return {change_, time};
  }

 private:
  static std::size_t at(index_t i) { return static_cast<std::size_t>(i); }

  // direction = (K + prices)^-1 slopes; false if that cannot be had.
  bool solve() {
    const index_t m = static_cast<index_t>(rows_.size());
    double shift = kShift * static_cast<double>(m);
    for (int attempt = 0; attempt < 3; ++attempt, shift *= 30) {
      Cholesky matrix(m, micro_, 1, context_);
      direction_.assign(at(matrix.order()), 0.0f);
      for (index_t j = 0; j < m; ++j) {
        const index_t row = rows_[at(j)];
        const float* from = core_.row(row);
        float* out = matrix.column(j);
        for (index_t i = j; i < m; ++i) out[i] = from[rows_[at(i)]];
        out[j] += static_cast<float>(core_.price(row).square(core_.side(row)));
        direction_[at(j)] = static_cast<float>(slope_[at(j)]);
      }
      if (!matrix.factor(shift)) continue;
      matrix.solve(direction_.data(), 1);
      return true;
    }
    return false;
  }

  // The share of the step that takes each to its bound, and the share that is taken.
  void measure() {
    share_.clear();
    end_.clear();
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const DualPrice& p = core_.price(rows_[j]);
      const double b = core_.value(rows_[j]), d = direction_[j];
      const bool across = p.linear > 0 && (d > 0) == (b < 0);  // a price with a kink at 0
      end_.push_back((across ? 0 : d > 0 ? p.high : p.low) - b);
      share_.push_back(d != 0 ? (end_[j] - change_[place_[j]]) / d : 2);
    }
    std::vector<double> order = share_;
    const auto some = static_cast<std::ptrdiff_t>(order.size() * order.size() / kStops);
    const auto last = std::min(order.begin() + some, order.end() - 1);
    std::nth_element(order.begin(), last, order.end());
    step_ = std::min(1.0, *last);
  }

  // Moves, and leaves out those that have stopped.
  void advance() {
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      double& change = change_[place_[j]];
      const double to = share_[j] <= step_ ? end_[j] : change + step_ * direction_[j];
      const double moved = to - change;
      change = to;
      const float* row = core_.row(rows_[j]);
      for (std::size_t k = 0; k < rows_.size(); ++k) slope_[k] -= moved * row[rows_[k]];
      slope_[j] -= moved * core_.price(rows_[j]).square(core_.side(rows_[j]));
    }
    std::size_t kept = 0;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      if (share_[j] <= step_) continue;
      rows_[kept] = rows_[j];
      place_[kept] = place_[j];
      slope_[kept++] = slope_[j];
    }
    rows_.resize(kept);
    place_.resize(kept);
    slope_.resize(kept);
  }

  const DualCore& core_;
  const Micro& micro_;
  Context& context_;
  std::vector<index_t> rows_;                // those that still move
  std::vector<std::size_t> place_;           // among all
  std::vector<double> slope_, share_, end_;  // of each: the change that takes it to its bound
  std::vector<float> direction_;
  double step_ = 1;
  std::vector<double> change_;
};

}  // namespace

NewtonChange newton_change(const DualCore& core, const std::vector<index_t>& free,
                           const Micro& micro, Context& context) {
  return NewtonStep(core, free, micro, context).run();
}

}  // namespace flexkern
