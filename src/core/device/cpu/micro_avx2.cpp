// The micro-kernels for processors with AVX2 and FMA. Only these functions are compiled for them,
// so the file needs no compiler flag and the processor is asked before they run.
#include "micro.h"

#ifdef FLEXKERN_HAS_AVX2

#include <immintrin.h>

#include "micro_constants.h"

namespace flexkern {
namespace {

#define FK_TARGET __attribute__((target("avx2,fma")))
#define FK_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline
#define FK_COLS_F32 6
#define FK_COLS_F64 3
#define FK_VECTORS_F32 2
#define FK_VECTORS_F64 4

struct F64 : ExpConstantsF64 {
  using scalar = double;
  using type = __m256d;
  static constexpr int width = 4;
  FK_INLINE type set(double x) { return _mm256_set1_pd(x); }
  FK_INLINE type load(const double* p) { return _mm256_loadu_pd(p); }
  FK_INLINE void store(double* p, type x) { _mm256_storeu_pd(p, x); }
  FK_INLINE type add(type a, type b) { return _mm256_add_pd(a, b); }
  FK_INLINE type mul(type a, type b) { return _mm256_mul_pd(a, b); }
  FK_INLINE type max(type a, type b) { return _mm256_max_pd(a, b); }
  FK_INLINE type fma(type a, type b, type c) { return _mm256_fmadd_pd(a, b, c); }
  FK_INLINE bool any_less(type a, type b) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) != 0;
  }
  FK_INLINE double total(type x) {
    alignas(32) double v[4];
    _mm256_store_pd(v, x);
    return (v[0] + v[1]) + (v[2] + v[3]);
  }
  FK_INLINE type round(type x) {
    return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  FK_INLINE type scale_by_power(type x, type n) {
    const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(n, set(rounder)));
    return _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_castpd_si256(x), _mm256_slli_epi64(bits, 52)));
  }
  FK_INLINE type zero_below(type t, type limit, type x) {
    return _mm256_and_pd(_mm256_cmp_pd(t, limit, _CMP_GT_OQ), x);
  }
};

struct F32 : ExpConstantsF32 {
  using scalar = float;
  using type = __m256;
  static constexpr int width = 8;
  FK_INLINE type set(float x) { return _mm256_set1_ps(x); }
  FK_INLINE type load(const float* p) { return _mm256_loadu_ps(p); }
  FK_INLINE void store(float* p, type x) { _mm256_storeu_ps(p, x); }
  FK_INLINE type add(type a, type b) { return _mm256_add_ps(a, b); }
  FK_INLINE type sub(type a, type b) { return _mm256_sub_ps(a, b); }
  FK_INLINE type div(type a, type b) { return _mm256_div_ps(a, b); }
  FK_INLINE type min(type a, type b) { return _mm256_min_ps(a, b); }
  FK_INLINE type max(type a, type b) { return _mm256_max_ps(a, b); }
  // a where x is positive, else b.
  FK_INLINE type choose(type x, type a, type b) {
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, set(0), _CMP_GT_OQ));
  }
  FK_INLINE type mul(type a, type b) { return _mm256_mul_ps(a, b); }
  FK_INLINE type fma(type a, type b, type c) { return _mm256_fmadd_ps(a, b, c); }
  FK_INLINE float total(type x) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps(two, two, 1)));
  }
  FK_INLINE type round(type x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  FK_INLINE type scale_by_power(type x, type n) {
    const __m256i bits = _mm256_cvtps_epi32(n);
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_castps_si256(x), _mm256_slli_epi32(bits, 23)));
  }
  FK_INLINE type zero_below(type t, type limit, type x) {
    return _mm256_and_ps(_mm256_cmp_ps(t, limit, _CMP_GT_OQ), x);
  }
  // Products of single values are exact in double precision.
  FK_INLINE void add_products(type a, type b, __m256d* sum) {
    sum[0] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(a)),
                             _mm256_cvtps_pd(_mm256_castps256_ps128(b)), sum[0]);
    sum[1] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)),
                             _mm256_cvtps_pd(_mm256_extractf128_ps(b, 1)), sum[1]);
  }
  FK_INLINE void transpose(type* v) {
    __m256 pairs[8];  // two rows interleaved, then four
    for (int i = 0; i < 8; i += 2) {
      pairs[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
      pairs[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
    }
    __m256 fours[8];
    for (int i = 0; i < 8; i += 4)
      for (int h = 0; h < 2; ++h) {
        fours[i + 2 * h] = _mm256_shuffle_ps(pairs[i + h], pairs[i + 2 + h], 0x44);
        fours[i + 2 * h + 1] = _mm256_shuffle_ps(pairs[i + h], pairs[i + 2 + h], 0xEE);
      }
    for (int i = 0; i < 4; ++i) {
      v[i] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
      v[i + 4] = _mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
    }
  }
};

#include "micro_body.h"

}  // namespace

const Micro kMicroAvx2 = {"avx2",
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

#endif
