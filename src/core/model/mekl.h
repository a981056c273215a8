// Classifiers on several kernels at once: reduced multiple empirical kernel learning, its
// single-view parents and SVM-2K. A group of machines shares its rows, kernels and basis rows: one
// pair of classes, or all classes against the rest.
#ifndef FLEXKERN_MODEL_MEKL_H
#define FLEXKERN_MODEL_MEKL_H

#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/view.h"
#include "core/kernel/kernel.h"
#include "core/solver/empirical_map.h"
#include "core/solver/mhks.h"
#include "core/solver/svm2k.h"
#include "mekl_grid.h"

namespace flexkern {

struct MeklKernel {
  // The radial kernel's gamma, or 1 / (2 s^2) or 1 / (2 s) with s the mean distance of the rows.
  enum class Width { given, square, plain };
  Kernel kernel;
  Width width = Width::given;
  std::vector<index_t> columns;
  ConstMatrixRef values;  // instead, the Gram matrix of all rows; without rows where there is none
};

struct MeklData {
  ConstMatrixRef x;
  std::vector<int> code;  // class of each row, from 0
  std::vector<double> weights;
  int classes = 2;
  std::vector<MeklKernel> kernels;
};

struct MeklOptions {
  bool one_versus_rest = false, two_view_svm = false;
  BasisOptions basis;
  MhksOptions mhks;
  Svm2kOptions svm;  // cost as multiples of the pair's
  MeklAxis first, second;
  std::vector<int> fold;  // of each row, from 0; empty without cross-validation
  std::string label;      // of the progress messages
};

struct MeklView {
  index_t kernel, rank;
  double gamma;
  bool indefinite;
  std::vector<index_t> basis;  // rows of the data
  std::vector<double> coef;    // basis x columns, of the kernel values
};

// f > 0 says `positive`. Columns of the coefficients are the final model and those without a fold.
struct MeklMachine {
  int positive, negative;  // -1: all others
  MeklGrid grid;
  std::vector<double> objective, intercept;
  bool converged = true;
};

struct MeklGroup {
  std::vector<MeklView> views;
  std::vector<MeklMachine> machines;
};

std::vector<MeklGroup> fit_mekl(const MeklData& data, const MeklOptions& options,
                                const Micro& micro, Context& context);

}  // namespace flexkern

#endif
