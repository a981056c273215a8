// The path of a sparse model through its breakpoints, and the rules that end it.
#ifndef FLEXKERN_SOLVER_PATH_H
#define FLEXKERN_SOLVER_PATH_H

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "active_set.h"
#include "sources.h"

namespace flexkern {

// Breakpoints over which the fall of the loss is measured.
constexpr std::size_t kLossWindow = 5;

struct PathOptions {
  enum class Method { lasso, lar, mp, omp, prefit };
  Method method = Method::lasso;
  index_t max_steps = 1000;
  // Rules; the values here never stop a path.
  double l1 = std::numeric_limits<double>::infinity();   // bound on sum |beta|
  index_t active = std::numeric_limits<index_t>::max();  // bound on the active sources
  index_t traps = -1;                                    // traps tolerated above the rest
  double loss = -1;                                      // bound on the fall of the loss
  std::vector<index_t> order;                            // of the residuals in time
  index_t lags = 0;                                      // 0: no test of whiteness
  double white = 0;                                      // critical value of its statistic
  bool least_squares_end = false;
};

// Rows held out, and their response (on the scale of the path's response).
struct HeldOut {
  std::vector<double> response, weight;
};

struct Breakpoint {
  double l1 = 0, correlation = 0, loss = 0, white = 0;
  index_t active = 0, traps = 0;
  index_t entered = -1, left = -1;
  // Held-out squared error on the way from the breakpoint before: a[0] + a[1] t + a[2] t^2.
  std::array<double, 3> held{};
};

struct Path {
  enum class End { rule, steps, complete };
  std::vector<Breakpoint> points;
  std::vector<index_t> offset{0};  // coefficients of breakpoint k: [offset[k], offset[k + 1])
  std::vector<index_t> source;
  std::vector<double> coef;
  std::vector<double> held_out;  // predictions at the last breakpoint
  End end = End::complete;
};

// Takes down the breakpoints of a path, and says when a rule ends it.
class PathRecorder {
 public:
  PathRecorder(const Sources& sources, const std::vector<double>& response,
               const PathOptions& options, const HeldOut* held);

  // A breakpoint with these coefficients of the active columns; `event` names what entered and
  // left, the correlation and the traps. True if the path ends here. Where the bound on sum |beta|
  // is crossed, the point on the segment is recorded instead.
  bool record(const ActiveSet& active, const std::vector<double>& beta, Breakpoint event,
              const std::vector<double>& residual);
  // A last point beyond all rules.
  void store_end(const ActiveSet& active, const std::vector<double>& beta, Breakpoint event,
                 const std::vector<double>& residual);
  const Path& path() const { return path_; }
  Path finish(Path::End end);

 private:
  bool crosses(const ActiveSet& active, std::vector<double>& beta) const;
  void score(const ActiveSet& active, const std::vector<double>& beta, Breakpoint& point);
  void store(const ActiveSet& active, const std::vector<double>& beta, const Breakpoint& point);
  bool ended(const Breakpoint& point);
  double previous(index_t source) const;

  const Sources& sources_;
  const std::vector<double>& response_;
  const PathOptions& options_;
  const HeldOut* held_;
  Path path_;
  std::vector<double> prediction_;                // held out, at the last breakpoint
  std::vector<std::vector<double>> held_column_;  // of the sources that were active
};

// A path on its way, for callers that decide as it goes.
class Follower {
 public:
  virtual ~Follower() = default;
  // Over so many more breakpoints, or to the end.
  virtual void advance(index_t steps) = 0;
  virtual bool ended() const = 0;
  virtual const Path& path() const = 0;
  virtual Path finish() = 0;
};

// Ljung-Box statistic of a sequence: large where neighbours are alike.
double whiteness(const std::vector<double>& residual, const std::vector<index_t>& order,
                 index_t lags);

}  // namespace flexkern

#endif
