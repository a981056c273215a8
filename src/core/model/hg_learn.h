// The weights of a hierarchical kernel, learned on a validation part (Steinwart, Thomann and Schmid
// 2016, Algorithm 1), or by descent along the exact gradient of the validation risk.
#ifndef FLEXKERN_MODEL_HG_LEARN_H
#define FLEXKERN_MODEL_HG_LEARN_H

#include <cstdint>
#include <vector>

#include "cell.h"

namespace flexkern {

struct HgOptions {
  enum class Optimizer { anneal, lbfgs, adam };
  Optimizer optimizer = Optimizer::anneal;
  // Grid, loss, tolerance and clipping of the machines in between. Rounds start at one of the given
  // widths; the penalty stays between the given ones.
  CellOptions cell;
  // Algorithm 1: L rounds of M cycles; annealing for N1 steps in the first cycle of a round and N2
  // in the others, N3 steps of gradient descent.
  int rounds = 2, cycles = 3, first = 200, later = 100, descent = 10;
  double spread = 0.5;     // changes are factors in [1 - spread, 1 + spread]
  double temperature = 0;  // at the start; 0: the median change of the risk by a proposal
  bool fresh = false;      // rounds start at the initial weights, not at perturbed ones
  // Descent: at most so many steps from each of `rounds` starts, which ends when the error on the
  // third part has not fallen for `patience` looks.
  int steps = 400, patience = 10, batch = 500;
  double rate = 0.1;
};

struct HgData {
  ConstMatrixRef x, y;
  std::vector<double> weights;
};

// One line of the record: after which cycle or step, and the risks of the clipped predictions on
// the second and third part.
struct HgTrace {
  int round, step;
  double validation, test;
};

struct HgResult {
  Hierarchy hierarchy;  // the kernel exp(-D): the width is part of the weights
  double gamma = 1;     // the width that its round started at
  double shift = 0;     // lambda times the training rows
  double error = 0;     // on the third part
  int chosen = 0;       // the line of the record that it comes from
  std::vector<HgTrace> trace;
  double proposals = 0, accepted = 0;
  double anneal_seconds = 0, descent_seconds = 0, solve_seconds = 0;
};

// Parts of 4/9, 2/9 and 3/9 of the rows, each with at least two; no parts if there are fewer than
// nine rows.
std::vector<std::vector<index_t>> learning_parts(index_t n, std::uint64_t seed, std::uint64_t item);

// Bytes that learning takes at its peak.
double learning_bytes(const Hierarchy& hierarchy, index_t n, const HgOptions& options);

HgResult learn_hierarchy(const HgData& data, const Hierarchy& start, const HgOptions& options,
                         const Device& device, std::uint64_t item, Context& context);

}  // namespace flexkern

#endif
