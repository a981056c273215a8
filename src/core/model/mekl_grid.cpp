#include "mekl_grid.h"

#include <algorithm>

#include "core/base/error.h"

namespace flexkern {
namespace {

// How far an open axis may grow, by which factor and by how many values at a time: so many that no
// batch has more pairs than the first.
constexpr double kLeast = 0x1p-20, kMost = 0x1p12, kStep = 4;
constexpr int kValues = 2;
// An edge is worth going beyond if the loss falls towards it by this much: less than that of one
// row a little inside the margin.
constexpr double kFall = 1e-4;

double& part(MeklPair& pair, int axis) { return axis == 0 ? pair.first : pair.second; }

}  // namespace

MeklGrid::MeklGrid(const MeklAxis& first, const MeklAxis& second)
    : axes_{first, second}, is_search_(first.values.size() * second.values.size() > 1) {
  wait();
}

const MeklTrial* MeklGrid::find(MeklPair pair) const {
  for (const MeklTrial& t : trials_)
    if (t.pair.first == pair.first && t.pair.second == pair.second) return &t;
  return nullptr;
}

void MeklGrid::wait() {
  waiting_.clear();
  for (double a : axes_[0].values)
    for (double b : axes_[1].values)
      if (!find({a, b})) waiting_.push_back({a, b});
}

void MeklGrid::record(const std::vector<MeklTrial>& trials) {
  for (const MeklTrial& t : trials) {
    trials_.push_back(t);
    const MeklTrial& least = best();
    if (t.loss < least.loss || (t.loss == least.loss && t.error < least.error))
      best_ = trials_.size() - 1;
  }
  const bool first = grow(0), second = grow(1);
  if (first || second)
    wait();
  else
    waiting_.clear();
}

int MeklGrid::edge(int axis) const {
  const std::vector<double>& values = axes_[axis].values;
  if (trials_.empty() || values.size() < 2) return 0;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  MeklPair inner = best().pair;
  const double at = part(inner, axis);
  const int side = at == sorted.front() ? -1 : at == sorted.back() ? 1 : 0;
  if (side == 0) return 0;
  part(inner, axis) = side < 0 ? sorted[1] : sorted[sorted.size() - 2];
  const MeklTrial* next = find(inner);
  require(next, "a pair of the grid was not tried");
  return best().loss < next->loss - kFall ? side : 0;
}

bool MeklGrid::grow(int axis) {
  if (!axes_[axis].open) return false;
  if (axis == 0 && best().loss > poor_) {
    const bool below = grow(axis, -1), above = grow(axis, 1);
    return below || above;
  }
  const int side = edge(axis);
  return side != 0 && grow(axis, side);
}

bool MeklGrid::grow(int axis, int side) {
  std::vector<double>& values = axes_[axis].values;
  double next = side < 0 ? values.front() : values.back();
  const std::size_t before = values.size();
  for (int k = 0; k < kValues; ++k) {
    next = side < 0 ? next / kStep : next * kStep;
    if (next < kLeast || next > kMost) break;
    values.insert(side < 0 ? values.begin() : values.end(), next);
  }
  return values.size() > before;
}

std::vector<MeklTrial> MeklGrid::surface() const {
  std::vector<MeklTrial> out;
  for (double a : axes_[0].values)
    for (double b : axes_[1].values)
      if (const MeklTrial* t = find({a, b})) out.push_back(*t);
  return out;
}

}  // namespace flexkern
