// Kernel basis pursuit (Guigue, Rakotomamonjy and Canu 2005): the path of every response over one
// dictionary of kernels, and where to stop on it.
#ifndef FLEXKERN_MODEL_KBP_H
#define FLEXKERN_MODEL_KBP_H

#include <vector>

#include "core/solver/path.h"
#include "kbp_dictionary.h"

namespace flexkern {

struct KbpData {
  ConstMatrixRef x, y;
  std::vector<double> weights;  // 0: the row is left out
  std::vector<SourceBlock> blocks;
};

struct KbpOptions {
  enum class Stop { none, l1, nu, loss, traps, whiteness };
  Stop stop = Stop::none;
  // What the rule is held against; several values are compared by cross-validation, and none means
  // a grid of ours. sum |beta|, share of support vectors, traps, fall of the loss, critical value.
  std::vector<double> bounds;
  PathOptions path;
  std::vector<double> order;  // whiteness: where each row stands in time
  index_t lags = 0;
  bool center = true;     // take the mean of the response away
  bool held_out = false;  // predictions for each row by the models of the other folds
  std::vector<int> fold;  // -1 or 0 .. folds - 1
  // Smaller dictionaries, by the numbers of their blocks, that a cross-validation tries one after
  // another. The first one taken has an error lower by the share `margin`.
  std::vector<std::vector<index_t>> trials;
  double margin = 0;
};

// One response's path, with its sources in terms of blocks and places.
struct KbpPath {
  Path path;
  double mean = 0;                 // of the response
  double bound = 0;                // the chosen one
  std::vector<double> grid, risk;  // of the cross-validation; empty without
};

struct KbpSource {
  index_t block, place;
  double mean, scale;
};

struct KbpFit {
  std::vector<KbpPath> paths;
  std::vector<index_t> ids;                  // dictionary columns that some path uses
  std::vector<KbpSource> sources;            // in the same order
  std::vector<double> held_out;              // rows x responses; NaN without
  index_t size = 0, usable = 0, trial = -1;  // the trial that was taken, -1: none
  bool stored = false;
};

KbpFit fit_kbp(const KbpData& data, const KbpOptions& options, const Micro& micro,
               Context& context);

}  // namespace flexkern

#endif
