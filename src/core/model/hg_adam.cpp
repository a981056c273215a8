// Adam on random samples of the first two parts, each split anew.
#include <algorithm>
#include <cmath>

#include "hg_descent.h"

namespace flexkern {
namespace {

constexpr int kBetweenLooks = 25;

// Running means of the slopes and of their squares.
class Moments {
 public:
  explicit Moments(std::size_t size) : mean_(size, 0.0), square_(size, 0.0) {}
  // The step number t, from 1 on.
  void move(const HgPoint& slope, double t, double rate, HgPoint& point) {
    constexpr double keep = 0.9, keep_square = 0.99;
    for (std::size_t i = 0; i < point.size(); ++i) {
      mean_[i] = keep * mean_[i] + (1 - keep) * slope[i];
      square_[i] = keep_square * square_[i] + (1 - keep_square) * slope[i] * slope[i];
      const double m = mean_[i] / (1 - std::pow(keep, t));
      const double s = square_[i] / (1 - std::pow(keep_square, t));
      if (s > 0) point[i] -= rate * m / std::sqrt(s);
    }
  }

 private:
  std::vector<double> mean_, square_;
};

class AdamRun {
 public:
  AdamRun(const HgTask& task, Descent& descent, int round)
      : task_(task),
        descent_(descent),
        batch_(std::min<index_t>(task.options.batch, task.parts.learning().size)),
        point_(descent.begin(round)),
        moments_(point_.size()) {}

  // Whether to go on, by the machine of all rows of the first part.
  bool look(int step) {
    ImplicitRisk whole = descent_.risk();
    const double value = descent_.settle(whole, point_);
    return std::isfinite(value) && descent_.look(whole, point_, step, value);
  }

  void step(int number) {
    const HgRows rows = draw();
    ImplicitRisk sample =
        descent_.risk({rows.x(), rows.y(), rows.weights, std::max<index_t>(1, 2 * batch_ / 3)});
    if (!std::isfinite(descent_.evaluate(sample, point_))) {
      point_.back() += 1;  // a larger penalty can be carried
      return;
    }
    const HgPoint slope = descent_.gradient(sample, point_);
    // The rate falls to a tenth.
    const double t = number + 1;
    moments_.move(slope, t, task_.options.rate * std::pow(0.1, t / task_.options.steps), point_);
    descent_.keep_within(point_);
    descent_.advance();
  }

 private:
  // A random sample, two thirds of which train.
  HgRows draw() {
    const HgRows& from = task_.parts.learning();
    std::vector<index_t> rows(static_cast<std::size_t>(from.size));
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<index_t>(i);
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch_); ++i)
      std::swap(rows[i], rows[i + task_.rng.below(rows.size() - i)]);
    rows.resize(static_cast<std::size_t>(batch_));
    return {{from.x(), from.y(), from.weights}, rows};
  }

  const HgTask& task_;
  Descent& descent_;
  index_t batch_;
  HgPoint point_;
  Moments moments_;
};

}  // namespace

void learn_by_adam(const HgTask& task) {
  Descent descent(task);
  const int steps = task.options.steps;
  for (int round = 0; round < task.options.rounds; ++round) {
    AdamRun run(task, descent, round);
    for (int step = 0; step <= steps; ++step) {
      if ((step % kBetweenLooks == 0 || step == steps) && !run.look(step)) break;
      if (step < steps) run.step(step);
    }
  }
}

}  // namespace flexkern
