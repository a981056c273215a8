// Decision values of kernel expansions on several kernels.
#ifndef FLEXKERN_MODEL_MEKL_PREDICT_H
#define FLEXKERN_MODEL_MEKL_PREDICT_H

#include <vector>

#include "core/device/device.h"

namespace flexkern {

struct MeklExpansion {
  Kernel kernel;
  std::vector<index_t> columns;
  std::vector<index_t> basis;  // rows of sv
  ConstMatrixRef coef;         // basis x columns of the answer
  index_t first = 0;           // column of the answer
};

// out(, first + c) += K(x, basis) coef(, c) for each expansion.
void add_mekl(const std::vector<MeklExpansion>& parts, ConstMatrixRef x, ConstMatrixRef sv,
              const Device& device, MatrixRef out, Context& context);

}  // namespace flexkern

#endif
