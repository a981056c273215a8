// Predictions of kernel basis pursuit: a sum over the sources that are in use.
#ifndef FLEXKERN_MODEL_KBP_PREDICT_H
#define FLEXKERN_MODEL_KBP_PREDICT_H

#include <vector>

#include "core/base/context.h"
#include "kbp_kernel.h"

namespace flexkern {

// The sources of one kernel: its columns of x, the centers in these columns, and coefficients
// (centers x responses).
struct KbpExpansion {
  SourceKernel kernel;
  std::vector<index_t> columns;
  ConstMatrixRef centers, coef;
};

// out += the expansions at the rows of x. A row's value depends on that row alone.
void add_expansions(const std::vector<KbpExpansion>& parts, ConstMatrixRef x, const Micro& micro,
                    MatrixRef out, Context& context);

}  // namespace flexkern

#endif
