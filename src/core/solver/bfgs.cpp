#include "bfgs.h"

#include <utility>

namespace flexkern {
namespace {

constexpr std::size_t kMemory = 10;

void add_to(std::vector<double>& q, double by, const std::vector<double>& v) {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += by * v[i];
}

}  // namespace

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void Bfgs::add(std::vector<double> step, std::vector<double> change) {
  const double curvature = dot(step, change);
  if (!(curvature > 1e-10 * dot(change, change))) return;
  pairs_.push_back({std::move(step), std::move(change), 1 / curvature});
  if (pairs_.size() > kMemory) pairs_.pop_front();
}

std::vector<double> Bfgs::direction(std::vector<double> q) const {
  std::vector<double> a(pairs_.size());
  for (std::size_t i = pairs_.size(); i-- > 0;) {
    a[i] = pairs_[i].rho * dot(pairs_[i].step, q);
    add_to(q, -a[i], pairs_[i].change);
  }
  const Pair& last = pairs_.back();
  const double scale = 1 / (last.rho * dot(last.change, last.change));
  for (double& v : q) v *= scale;
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    add_to(q, a[i] - pairs_[i].rho * dot(pairs_[i].change, q), pairs_[i].step);
  for (double& v : q) v = -v;
  return q;
}

}  // namespace flexkern
