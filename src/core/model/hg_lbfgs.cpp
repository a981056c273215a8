// L-BFGS on the first two parts.
#include <algorithm>
#include <cmath>

#include "core/solver/bfgs.h"
#include "hg_descent.h"

namespace flexkern {
namespace {

HgPoint difference(const HgPoint& a, const HgPoint& b) {
  HgPoint out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

class LbfgsRun {
 public:
  LbfgsRun(Descent& descent, ImplicitRisk& risk, int round)
      : descent_(descent),
        risk_(risk),
        point_(descent.begin(round)),
        value_(descent.settle(risk, point_)),
        go_on_(std::isfinite(value_) && descent.look(risk, point_, 0, value_)),
        slope_(go_on_ ? descent.gradient(risk, point_) : HgPoint()) {}
  bool go_on() const { return go_on_; }

  void step(int number) {
    const HgPoint along = direction(), before = point_;
    if (!search(along)) return forget();
    go_on_ = descent_.look(risk_, point_, number, value_);
    HgPoint now = descent_.gradient(risk_, point_);
    bfgs_.add(difference(point_, before), difference(now, slope_));
    slope_ = std::move(now);
    descent_.advance();
  }

 private:
  // Down the slope itself where the curvature is not known or leads uphill.
  HgPoint direction() {
    if (!bfgs_.empty()) {
      HgPoint out = bfgs_.direction(slope_);
      if (dot(out, slope_) < 0) return out;
      bfgs_.clear();
    }
    const double scale = 0.3 / std::sqrt(std::max(dot(slope_, slope_), 1e-300));
    HgPoint out(slope_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = -scale * slope_[i];
    return out;
  }

  // Armijo's rule along the direction; false where no step helps.
  bool search(const HgPoint& along) {
    const double fall = dot(along, slope_);
    double longest = 0;
    for (const double v : along) longest = std::max(longest, std::fabs(v));
    double eta = std::min(1.0, 1.0 / longest);
    for (int halving = 0; halving <= 10; ++halving, eta /= 2) {
      HgPoint moved = point_;
      for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += eta * along[i];
      descent_.keep_within(moved);
      const double there = descent_.evaluate(risk_, moved);
      if (!(there <= value_ + 1e-4 * eta * fall)) continue;
      point_ = moved;
      value_ = there;
      return true;
    }
    return false;
  }

  // Another try without the curvature, or the end.
  void forget() {
    go_on_ = !bfgs_.empty();
    if (!go_on_) return;
    bfgs_.clear();
    descent_.evaluate(risk_, point_);
  }

  Descent& descent_;
  ImplicitRisk& risk_;
  HgPoint point_;
  double value_;
  bool go_on_;
  HgPoint slope_;
  Bfgs bfgs_;
};

}  // namespace

void learn_by_lbfgs(const HgTask& task) {
  Descent descent(task);
  ImplicitRisk risk = descent.risk();
  for (int round = 0; round < task.options.rounds; ++round) {
    LbfgsRun run(descent, risk, round);
    for (int step = 1; step <= task.options.steps && run.go_on(); ++step) run.step(step);
  }
}

}  // namespace flexkern
