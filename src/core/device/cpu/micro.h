// The micro-kernels on which the tile engine stands, one table of them per instruction set. Each
// table is compiled from the same text (micro_body.h); which one runs is decided at run time.
#ifndef FLEXKERN_DEVICE_CPU_MICRO_H
#define FLEXKERN_DEVICE_CPU_MICRO_H

#include <string>
#include <vector>

#include "core/base/view.h"
#include "hg_ops.h"

namespace flexkern {

// Matrices are packed in panels of 16 rows: all columns of a panel follow each other, 16 values
// each.
constexpr index_t kPanel = 16;

constexpr index_t kDotCols = 5, kDotAhead = 256;

inline index_t round_up(index_t n, index_t unit) { return (n + unit - 1) / unit * unit; }

// One step of a dual solver: r -= step[0] row[0] + step[1] row[1] for all rows, and on the way the
// coordinate of [begin, end) whose own best move gains most. What a move is, says the loss:
// `box`: the move is clip(r, p0, p1); `epsilon`: from the value p0 by a move within [p1, p2], the
// price of a value being p3 |value|; `expectile`: from the value p0, the price being p1 or p2 times
// value^2 / 2 where it is positive or negative.
struct DualPass {
  const float* row[2];
  float step[2];
  float* r;
  const float* p[4];
};
struct DualBest {
  float gain;
  index_t at;
};
using DualKernel = DualBest (*)(const DualPass& pass, index_t begin, index_t end);

struct Micro {
  const char* name;
  // Columns of the right-hand factor that one call handles; that factor is packed in groups of so
  // many.
  index_t cols_f32, cols_f64;
  // c (16 x cols, columns ldc apart) += a (packed panel, k columns) * b (packed group, k rows).
  void (*gemm_f32)(index_t k, const float* a, const float* b, float* c, index_t ldc);
  void (*gemm_f64)(index_t k, const double* a, const double* b, double* c, index_t ldc);
  // c (2 m x cols, columns ldc apart) += A' x, where A is `panels` panels that begin `stride`
  // values apart, of which 2 m columns are taken, and x has columns ldx apart; cols is at most
  // kDotCols.
  void (*gemm_transposed)(index_t panels, index_t stride, index_t m, const float* a, const float* x,
                          index_t ldx, index_t cols, float* c, index_t ldc);
  // out = exp(scale * in); n is a multiple of 16; arguments at or below -708 (float: -87) give 0.
  void (*exp_f32)(index_t n, float scale, const float* in, float* out);
  void (*exp_f64)(index_t n, double scale, const double* in, double* out);
  // Squared distances of 16 points to one, from inner products: out = max(0, norms + norm - 2 dot).
  // Returns whether cancellation left some of them inaccurate.
  bool (*distance)(const double* dot, const double* norms, double norm, double* out);
  // v = s * u and the inner product of q and v; n is a multiple of 16.
  double (*mask_dot)(index_t n, const float* s, const float* u, const float* q, float* v);
  // v -= alpha q + beta p, and the squared norm of v.
  double (*orthogonalise)(index_t n, float alpha, const float* q, float beta, const float* p,
                          float* v);
  // y += alpha x; n is a multiple of 16.
  void (*axpy)(index_t n, float alpha, const float* x, float* y);
  // out = in', both 16 x 16.
  void (*transpose)(const float* in, float* out);
  // begin and end are multiples of 16.
  DualKernel dual_box, dual_epsilon, dual_expectile;
  HgOps<float> hg_f32;
  HgOps<double> hg_f64;
};

extern const Micro kMicroPlain;
#if defined(__x86_64__) && defined(__GNUC__)
#define FLEXKERN_HAS_AVX2 1
extern const Micro kMicroAvx2;
#endif

// Distances below this share of the summed squared norms are recomputed from differences.
constexpr double kCancellation = 1e-6;

// The tables that this processor can run, the best one first.
std::vector<const Micro*> available_micro();

// The table of that name; "auto" is the best one.
const Micro& find_micro(const std::string& name);

}  // namespace flexkern

#endif
