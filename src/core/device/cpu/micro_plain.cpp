// The micro-kernels for any processor, on the 16-byte vectors that every supported compiler knows.
#include <cstdint>
#include <cstring>

#include "micro.h"
#include "micro_constants.h"

namespace flexkern {
namespace {

#define FK_TARGET
#define FK_INLINE __attribute__((always_inline)) static inline
#define FK_COLS_F32 6
#define FK_COLS_F64 3
#define FK_VECTORS_F32 2
#define FK_VECTORS_F64 4

struct F64 : ExpConstantsF64 {
  using scalar = double;
  typedef double type __attribute__((vector_size(16)));
  typedef std::uint64_t bits __attribute__((vector_size(16)));
  static constexpr int width = 2;
  FK_INLINE type set(double x) { return type{x, x}; }
  FK_INLINE type load(const double* p) {
    type x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  FK_INLINE void store(double* p, type x) { std::memcpy(p, &x, sizeof x); }
  FK_INLINE type add(type a, type b) { return a + b; }
  FK_INLINE type mul(type a, type b) { return a * b; }
  FK_INLINE type max(type a, type b) { return a > b ? a : b; }
  FK_INLINE type fma(type a, type b, type c) { return a * b + c; }
  FK_INLINE bool any_less(type a, type b) { return a[0] < b[0] || a[1] < b[1]; }
  FK_INLINE double total(type x) { return x[0] + x[1]; }
  FK_INLINE type round(type x) { return (x + set(rounder)) - set(rounder); }
  FK_INLINE type scale_by_power(type x, type n) {
    return (type)((bits)x + ((bits)(n + set(rounder)) << 52));
  }
  FK_INLINE type zero_below(type t, type limit, type x) {
    return (type)((bits)x & (bits)(t > limit));
  }
};

struct F32 : ExpConstantsF32 {
  using scalar = float;
  typedef float type __attribute__((vector_size(16)));
  typedef std::uint32_t bits __attribute__((vector_size(16)));
  static constexpr int width = 4;
  FK_INLINE type set(float x) { return type{x, x, x, x}; }
  FK_INLINE type load(const float* p) {
    type x;
    std::memcpy(&x, p, sizeof x);
    return x;
  }
  FK_INLINE void store(float* p, type x) { std::memcpy(p, &x, sizeof x); }
  FK_INLINE type add(type a, type b) { return a + b; }
  FK_INLINE type sub(type a, type b) { return a - b; }
  FK_INLINE type div(type a, type b) { return a / b; }
  FK_INLINE type min(type a, type b) { return a < b ? a : b; }
  FK_INLINE type max(type a, type b) { return a > b ? a : b; }
  // a where x is positive, else b.
  FK_INLINE type choose(type x, type a, type b) { return x > set(0) ? a : b; }
  FK_INLINE type mul(type a, type b) { return a * b; }
  FK_INLINE type fma(type a, type b, type c) { return a * b + c; }
  FK_INLINE float total(type x) { return (x[0] + x[2]) + (x[1] + x[3]); }
  FK_INLINE type round(type x) { return (x + set(rounder)) - set(rounder); }
  FK_INLINE type scale_by_power(type x, type n) {
    return (type)((bits)x + ((bits)(n + set(rounder)) << 23));
  }
  FK_INLINE type zero_below(type t, type limit, type x) {
    return (type)((bits)x & (bits)(t > limit));
  }
  FK_INLINE void add_products(type a, type b, F64::type* sum) {
    sum[0] += F64::type{a[0], a[1]} * F64::type{b[0], b[1]};
    sum[1] += F64::type{a[2], a[3]} * F64::type{b[2], b[3]};
  }
  FK_INLINE void transpose(type* v) {
    const type a = low(v[0], v[1]), b = low(v[2], v[3]);
    const type c = high(v[0], v[1]), d = high(v[2], v[3]);
    v[0] = type{a[0], a[1], b[0], b[1]};
    v[1] = type{a[2], a[3], b[2], b[3]};
    v[2] = type{c[0], c[1], d[0], d[1]};
    v[3] = type{c[2], c[3], d[2], d[3]};
  }
  FK_INLINE type low(type a, type b) { return type{a[0], b[0], a[1], b[1]}; }
  FK_INLINE type high(type a, type b) { return type{a[2], b[2], a[3], b[3]}; }
};

#include "micro_body.h"

}  // namespace

const Micro kMicroPlain = {"plain",
                           FK_COLS_F32,
                           FK_COLS_F64,
                           gemm_f32,
                           gemm_f64,
                           gemm_transposed,
                           exp_f32,
                           exp_f64,
                           distance,
                           mask_dot,
                           orthogonalise,
                           axpy,
                           transpose,
                           dual_pass<BoxMove>,
                           dual_pass<EpsilonMove>,
                           dual_pass<ExpectileMove>,
                           FK_HG_OPS(F32),
                           FK_HG_OPS(F64)};

}  // namespace flexkern
