#include "agglomerate.h"

#include <cmath>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace flexkern {

namespace {

// A possible union; it is out of date once one of its sides has grown.
struct Union {
  double score;
  std::int32_t a, b;
  int grown_a, grown_b;
  bool operator<(const Union& o) const {
    return std::tie(score, o.a, o.b) < std::tie(o.score, a, b);
  }
};

class Agglomeration {
 public:
  Agglomeration(RegionGraph graph, index_t max_cell)
      : graph_(std::move(graph)),
        max_cell_(max_cell),
        parent_(graph_.size.size()),
        grown_(graph_.size.size(), 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  std::vector<std::int32_t> run() {
    const auto m = static_cast<std::int32_t>(parent_.size());
    for (std::int32_t a = 0; a < m; ++a)
      for (const auto& border : graph_.borders[a])
        if (a < border.first) propose(a, border.first, border.second);
    while (!queue_.empty()) {
      const Union best = queue_.top();
      queue_.pop();
      if (best.grown_a == grown_[best.a] && best.grown_b == grown_[best.b]) join(best.a, best.b);
    }
    for (std::int32_t a = 0; a < m; ++a) parent_[a] = parent_[parent_[a]];
    renumber(parent_);
    return parent_;
  }

 private:
  void propose(std::int32_t a, std::int32_t b, double border) {
    const double sizes = static_cast<double>(graph_.size[a]) * static_cast<double>(graph_.size[b]);
    if (graph_.size[a] + graph_.size[b] > max_cell_) return;
    queue_.push({border / std::sqrt(sizes), a, b, grown_[a], grown_[b]});
  }

  // The later region joins the earlier one, so that a parent always precedes its children.
  void join(std::int32_t a, std::int32_t b) {
    if (a > b) std::swap(a, b);
    parent_[b] = a;
    graph_.size[a] += graph_.size[b];
    ++grown_[a];
    ++grown_[b];
    for (const auto& border : graph_.borders[b]) {
      graph_.borders[border.first].erase(b);
      if (border.first == a) continue;
      graph_.borders[a][border.first] += border.second;
      graph_.borders[border.first][a] += border.second;
    }
    graph_.borders[b].clear();
    for (const auto& border : graph_.borders[a]) propose(a, border.first, border.second);
  }

  RegionGraph graph_;
  index_t max_cell_;
  std::vector<std::int32_t> parent_;
  std::vector<int> grown_;
  std::priority_queue<Union> queue_;
};

}  // namespace

void renumber(std::vector<std::int32_t>& cell) {
  std::vector<std::int32_t> name(cell.size(), -1);
  std::int32_t next = 0;
  for (std::int32_t& c : cell) {
    if (name[c] < 0) name[c] = next++;
    c = name[c];
  }
}

std::vector<std::int32_t> agglomerate(RegionGraph graph, index_t max_cell) {
  return Agglomeration(std::move(graph), max_cell).run();
}

}  // namespace flexkern
