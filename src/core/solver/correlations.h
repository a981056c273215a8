// The correlations c = Z'r of all sources with the residual and their slopes b = Z'u along a
// direction, in single precision with a bound on the error.
#ifndef FLEXKERN_SOLVER_CORRELATIONS_H
#define FLEXKERN_SOLVER_CORRELATIONS_H

#include <vector>

#include "gram_cache.h"

namespace flexkern {

// Single-precision values z'v are this share of |z| |v| off at most, for columns of some length.
constexpr double kFloatError = 1e-7;

class Correlations {
 public:
  Correlations(GramCache& cache, Context& context);
  double value(index_t j) const { return c_[static_cast<std::size_t>(j)]; }
  double slope(index_t j) const { return b_[static_cast<std::size_t>(j)]; }
  double value_error() const { return c_error_; }
  double slope_error() const { return b_error_; }

  // c = Z'r
  void refresh(const std::vector<double>& r);
  // A source becomes active, and others may follow: their Gram columns are kept, and c refreshed
  // where that costs nothing.
  void enter(index_t source, const std::vector<index_t>& ahead, const std::vector<double>& r,
             const ActiveSet& active);
  // b = Z'u with u = Z_A w: from the kept Gram columns where rounding allows, for the equal slope
  // of the active sources and their correlation, else from u itself.
  void set_slopes(const ActiveSet& active, const std::vector<double>& w,
                  const std::vector<double>& u, const std::vector<double>& r, double slope,
                  double level);
  // r -= gamma u
  void move(double gamma);
  void pin(index_t j, double value) { c_[static_cast<std::size_t>(j)] = value; }

 private:
  void take(const float* values, const std::vector<double>& r);

  GramCache& cache_;
  Sources& sources_;
  Context& context_;
  std::vector<double> c_;
  std::vector<float> b_;
  double length_, c_error_ = 0, b_error_ = 0;
};

}  // namespace flexkern

#endif
