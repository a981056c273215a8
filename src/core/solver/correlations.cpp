#include "correlations.h"

#include <algorithm>
#include <cmath>

namespace flexkern {
namespace {

// An error of this share of the level is too large to tell which source comes next.
constexpr double kTolerated = 3e-3;

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

Correlations::Correlations(GramCache& cache, Context& context)
    : cache_(cache),
      sources_(cache.sources()),
      context_(context),
      c_(static_cast<std::size_t>(sources_.size())),
      b_(static_cast<std::size_t>(sources_.size())),
      length_(std::sqrt(static_cast<double>(sources_.rows()))) {}

void Correlations::take(const float* values, const std::vector<double>& r) {
  std::copy(values, values + c_.size(), c_.begin());
  c_error_ = kFloatError * length_ * norm(r);
}

void Correlations::refresh(const std::vector<double>& r) {
  Buffer<float> values(sources_.size());
  sources_.correlate(r.data(), 1, values.data(), context_);
  take(values.data(), r);
}

void Correlations::enter(index_t source, const std::vector<index_t>& ahead,
                         const std::vector<double>& r, const ActiveSet& active) {
  std::vector<float> values(c_.size());
  if (cache_.require(source, ahead, r, active, values, context_)) take(values.data(), r);
}

void Correlations::set_slopes(const ActiveSet& active, const std::vector<double>& w,
                              const std::vector<double>& u, const std::vector<double>& r,
                              double slope, double level) {
  double sum = 0;
  for (double x : w) sum += std::abs(x);
  b_error_ = kFloatError * length_ * length_ * sum;
  if (b_error_ < kTolerated * slope && cache_.combine(active, w, b_, context_)) {
    if (c_error_ > kTolerated * level) refresh(r);
    return;
  }
  std::vector<double> in = r;
  in.insert(in.end(), u.begin(), u.end());
  Buffer<float> out(2 * sources_.size());
  sources_.correlate(in.data(), 2, out.data(), context_);
  take(out.data(), r);
  std::copy_n(out.data() + sources_.size(), sources_.size(), b_.begin());
  b_error_ = kFloatError * length_;
}

void Correlations::move(double gamma) {
  for (std::size_t j = 0; j < c_.size(); ++j) c_[j] -= gamma * static_cast<double>(b_[j]);
  c_error_ += gamma * b_error_;
}

}  // namespace flexkern
