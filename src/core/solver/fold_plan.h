// The least-squares systems of one cell. Fold f trains on the rows where its mask is positive and
// holds others out; with S_f = diag(mask), mask_i = sqrt(weight_i) on training rows and 0
// elsewhere, its system is
//   (S_f K S_f + lambda n_f I) u = S_f y,   coefficients a = S_f u,   decision values K a,
// which is (K + lambda n I) a = y on the training rows when all weights are 1 (Steinwart, Hush and
// Scovel 2011). n_f are the rows by weight, so that a fold's loss is a weighted mean.
#ifndef FLEXKERN_SOLVER_FOLD_PLAN_H
#define FLEXKERN_SOLVER_FOLD_PLAN_H

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/view.h"

namespace flexkern {

// Work on the vectors of a block smaller than this is not worth a second thread.
constexpr index_t kSerialBlock = 50000;

struct Fold {
  Buffer<float> mask;             // padded to the stride of the Gram matrix
  std::vector<index_t> held_out;  // rows that validate it
  double rows = 0;                // the weights of the training rows: n_f
  double size = 0;                // how many train, with those of the margin
};

struct FoldPlan {
  index_t n = 0, stride = 0;
  index_t own = 0;  // rows from here on are a margin: they train, but do not count in n_f
  std::vector<Fold> folds;
  std::vector<double> weights;  // of all rows

  FoldPlan(index_t n, index_t stride, std::vector<double> weights)
      : FoldPlan(n, stride, std::move(weights), n) {}
  FoldPlan(index_t n, index_t stride, std::vector<double> weights, index_t own)
      : n(n), stride(stride), own(own), weights(std::move(weights)) {}

  // Adds the fold that trains on the rows with train[i] and holds out those with held_out[i].
  template <typename Train, typename HeldOut>
  void add(Train train, HeldOut held_out) {
    Fold fold;
    fold.mask = Buffer<float>(stride);
    for (index_t i = 0; i < stride; ++i) {
      const double weight = i < n && train(i) ? weights[static_cast<std::size_t>(i)] : 0;
      fold.mask[i] = static_cast<float>(std::sqrt(weight));
      if (i < own) fold.rows += weight;
      fold.size += weight > 0;
      if (i < n && held_out(i)) fold.held_out.push_back(i);
    }
    folds.push_back(std::move(fold));
  }
};

// A right-hand side: one fold and one column of the responses.
struct System {
  int fold, response;
};

// The range of predictions.
struct Clip {
  double low, high;
  double operator()(double t) const { return t < low ? low : t > high ? high : t; }
};

}  // namespace flexkern

#endif
