#include "inner_system.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// Steps at most, and the relative residual that is asked for.
constexpr int kSteps = 100;
constexpr double kReduction = 1e-10;

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> InnerSystem::product(const std::vector<double>& p) const {
  const std::size_t n = p.size();
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = shift_ * p[i];
  for (std::size_t j = 0; j < n; ++j) {
    const double* column = gram_.data() + j * n;
    double sum = column[j] * p[j];
    for (std::size_t i = j + 1; i < n; ++i) {
      out[i] += column[i] * p[j];
      sum += column[i] * p[i];
    }
    out[j] += sum;
  }
  return out;
}

std::vector<double> InnerSystem::precondition(const std::vector<double>& r, double norm) const {
  Buffer<float> work(factor_.order());
  std::fill_n(work.data(), work.size(), 0.0f);
  for (std::size_t i = 0; i < r.size(); ++i)
    work[static_cast<index_t>(i)] = static_cast<float>(r[i] / norm);
  factor_.solve(work.data(), 1);
  std::vector<double> z(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) z[i] = norm * work[static_cast<index_t>(i)];
  return z;
}

bool InnerSystem::solve(const std::vector<double>& b, std::vector<double>& w) const {
  const std::size_t n = b.size();
  std::vector<double> r = b, p(n, 0.0);
  const double target = kReduction * std::sqrt(inner_product(b, b));
  double rz = 0, norm = std::sqrt(inner_product(r, r));
  for (int step = 0; norm > target; ++step) {
    if (step == kSteps) return false;
    context_.check();
    const std::vector<double> z = precondition(r, norm);
    const double before = rz;
    rz = inner_product(r, z);
    if (!(rz > 0)) return false;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + (before > 0 ? rz / before : 0) * p[i];
    const std::vector<double> q = product(p);
    const double alpha = rz / inner_product(p, q);
    for (std::size_t i = 0; i < n; ++i) w[i] += alpha * p[i];
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    norm = std::sqrt(inner_product(r, r));
  }
  return true;
}

}  // namespace flexkern
