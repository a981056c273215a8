// Updates C += A B of packed factors, the step that blocked algorithms are made of.
#ifndef FLEXKERN_DEVICE_CPU_UPDATE_H
#define FLEXKERN_DEVICE_CPU_UPDATE_H

#include "pack.h"

namespace flexkern {

// One panel of C (16 rows, columns ldc apart) += panel * groups, for `cols` columns: groups follow
// each other `group_stride` values apart. The last one may be partly used; its tile goes through a
// buffer.
inline void update_panel(const Micro& micro, index_t depth, const float* panel, const float* groups,
                         index_t group_stride, index_t cols, float* c, index_t ldc) {
  const index_t width = micro.cols_f32;
  float tile[kPanel * 32];
  for (index_t j = 0; j < cols; j += width, groups += group_stride) {
    float* target = c + j * ldc;
    if (j + width <= cols) {
      micro.gemm_f32(depth, panel, groups, target, ldc);
      continue;
    }
    std::fill(tile, tile + kPanel * width, 0.0f);
    micro.gemm_f32(depth, panel, groups, tile, kPanel);
    for (index_t i = 0; i < cols - j; ++i)
      micro.axpy(kPanel, 1.0f, tile + i * kPanel, target + i * ldc);
  }
}

// The same in double precision.
inline void update_panel(const Micro& micro, index_t depth, const double* panel,
                         const double* groups, index_t group_stride, index_t cols, double* c,
                         index_t ldc) {
  const index_t width = micro.cols_f64;
  double tile[kPanel * 16];
  for (index_t j = 0; j < cols; j += width, groups += group_stride) {
    if (j + width <= cols) {
      micro.gemm_f64(depth, panel, groups, c + j * ldc, ldc);
      continue;
    }
    std::fill(tile, tile + kPanel * width, 0.0);
    micro.gemm_f64(depth, panel, groups, tile, kPanel);
    for (index_t i = 0; i < cols - j; ++i)
      for (index_t r = 0; r < kPanel; ++r) c[(j + i) * ldc + r] += tile[i * kPanel + r];
  }
}

}  // namespace flexkern

#endif
