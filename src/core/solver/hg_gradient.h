// Derivatives of sums over pairs of kernel values with respect to all weights of a hierarchy.
#ifndef FLEXKERN_SOLVER_HG_GRADIENT_H
#define FLEXKERN_SOLVER_HG_GRADIENT_H

#include <vector>

#include "core/base/context.h"
#include "hg_tiles.h"

namespace flexkern {

// d/dw of sum_ij C_ij k(x_i, z_j) for each weight w, in the order of the nodes, where C = left
// right' of few columns and k = exp(-gamma D). With D_p the distance of a node's parent,
//   dS/dD = -gamma k C at the top,   dS/dD_i = dS/dD_p 2 w_i^2 k_i,
//   dS/dw_i = 4 w_i sum dS/dD_p (1 - k_i),   dS/dv_j = 2 v_j sum dS/dD (x_j - z_j)^2.
template <typename T>
std::vector<double> hierarchy_gradient(const HgTiles<T>& tiles, double gamma, ConstMatrixRef left,
                                       ConstMatrixRef right, int threads, Context& context);

// out (z rows x x rows, columns `stride` apart) = k(z_i, x_j)
template <typename T>
void hierarchy_values(const HgTiles<T>& tiles, double gamma, T* out, index_t stride, int threads,
                      Context& context);

}  // namespace flexkern

#endif
