// The text of the micro-kernels. A file that includes it has defined FK_TARGET (the function
// attribute that selects an instruction set), FK_COLS_F32, FK_COLS_F64, FK_VECTORS (vectors of a
// panel that one pass holds in registers) and two vector types F32 and F64 with the operations used
// here. No include guard: it is compiled once per instruction set, inside an unnamed namespace.

#if defined(__clang__)
#define FK_UNROLL
#else
#define FK_UNROLL _Pragma("GCC unroll 16")
#endif

template <typename V, int R, int N>
FK_TARGET void gemm_rows(index_t k, const typename V::scalar* a, const typename V::scalar* b,
                         typename V::scalar* c, index_t ldc) {
  typename V::type acc[N][R];
  FK_UNROLL
  for (int j = 0; j < N; ++j) {
    FK_UNROLL
    for (int r = 0; r < R; ++r) acc[j][r] = V::set(0);
  }
  for (index_t p = 0; p < k; ++p, a += kPanel, b += N) {
    typename V::type av[R];
    FK_UNROLL
    for (int r = 0; r < R; ++r) av[r] = V::load(a + r * V::width);
    FK_UNROLL
    for (int j = 0; j < N; ++j) {
      const typename V::type bv = V::set(b[j]);
      FK_UNROLL
      for (int r = 0; r < R; ++r) acc[j][r] = V::fma(av[r], bv, acc[j][r]);
    }
  }
  FK_UNROLL
  for (int j = 0; j < N; ++j) {
    FK_UNROLL
    for (int r = 0; r < R; ++r) {
      typename V::scalar* out = c + j * ldc + r * V::width;
      V::store(out, V::add(V::load(out), acc[j][r]));
    }
  }
}

FK_TARGET void gemm_f32(index_t k, const float* a, const float* b, float* c, index_t ldc) {
  constexpr int rows = FK_VECTORS_F32 * F32::width;
  for (int r = 0; r < kPanel; r += rows)
    gemm_rows<F32, FK_VECTORS_F32, FK_COLS_F32>(k, a + r, b, c + r, ldc);
}

FK_TARGET void gemm_f64(index_t k, const double* a, const double* b, double* c, index_t ldc) {
  constexpr int rows = FK_VECTORS_F64 * F64::width;
  for (int r = 0; r < kPanel; r += rows)
    gemm_rows<F64, FK_VECTORS_F64, FK_COLS_F64>(k, a + r, b, c + r, ldc);
}

// Two columns of A at a time, so that every x is used twice. Columns that come later are on their
// way meanwhile.
template <int N>
FK_TARGET void dot_columns(index_t panels, index_t stride, index_t m, const float* a,
                           const float* x, index_t ldx, float* c, index_t ldc) {
  for (index_t k = 0; k < m; ++k, a += 2 * kPanel, c += 2) {
    F32::type first[N], second[N];
    FK_UNROLL
    for (int j = 0; j < N; ++j) first[j] = second[j] = F32::set(0);
    const float* ap = a;
    for (index_t p = 0; p < panels; ++p, ap += stride) {
      __builtin_prefetch(ap + kDotAhead * kPanel);
      __builtin_prefetch(ap + kDotAhead * kPanel + kPanel);
      FK_UNROLL
      for (int r = 0; r < kPanel; r += F32::width) {
        const F32::type a0 = F32::load(ap + r), a1 = F32::load(ap + kPanel + r);
        FK_UNROLL
        for (int j = 0; j < N; ++j) {
          const F32::type xv = F32::load(x + j * ldx + p * kPanel + r);
          first[j] = F32::fma(a0, xv, first[j]);
          second[j] = F32::fma(a1, xv, second[j]);
        }
      }
    }
    FK_UNROLL
    for (int j = 0; j < N; ++j) {
      c[j * ldc] += F32::total(first[j]);
      c[j * ldc + 1] += F32::total(second[j]);
    }
  }
}

FK_TARGET void gemm_transposed(index_t panels, index_t stride, index_t m, const float* a,
                               const float* x, index_t ldx, index_t cols, float* c, index_t ldc) {
  if (cols == 1) dot_columns<1>(panels, stride, m, a, x, ldx, c, ldc);
  if (cols == 2) dot_columns<2>(panels, stride, m, a, x, ldx, c, ldc);
  if (cols == 3) dot_columns<3>(panels, stride, m, a, x, ldx, c, ldc);
  if (cols == 4) dot_columns<4>(panels, stride, m, a, x, ldx, c, ldc);
  if (cols == 5) dot_columns<5>(panels, stride, m, a, x, ldx, c, ldc);
}

// exp(t) = 2^n exp(r) with n = round(t / log 2), |r| <= log(2) / 2, log 2 split in two parts (Cody
// and Waite), and the exponential series of r, cut where the rest is below half a unit in the last
// place.
template <typename V, int Degree>
FK_TARGET inline typename V::type exp_vector(typename V::type t) {
  const typename V::type n = V::round(V::mul(t, V::set(V::inverse_log2)));
  typename V::type r = V::fma(n, V::set(-V::log2_high), t);
  r = V::fma(n, V::set(-V::log2_low), r);
  typename V::type sum = V::set(V::series[Degree]);
  FK_UNROLL
  for (int i = Degree - 1; i >= 0; --i) sum = V::fma(sum, r, V::set(V::series[i]));
  return V::zero_below(t, V::set(V::smallest), V::scale_by_power(sum, n));
}

FK_TARGET void exp_f32(index_t n, float scale, const float* in, float* out) {
  for (index_t i = 0; i < n; i += F32::width)
    F32::store(out + i, exp_vector<F32, 7>(F32::mul(F32::set(scale), F32::load(in + i))));
}

FK_TARGET void exp_f64(index_t n, double scale, const double* in, double* out) {
  for (index_t i = 0; i < n; i += F64::width)
    F64::store(out + i, exp_vector<F64, 13>(F64::mul(F64::set(scale), F64::load(in + i))));
}

FK_TARGET bool distance(const double* dot, const double* norms, double norm, double* out) {
  bool inaccurate = false;
  for (index_t i = 0; i < kPanel; i += F64::width) {
    const F64::type total = F64::add(F64::load(norms + i), F64::set(norm));
    const F64::type d = F64::fma(F64::load(dot + i), F64::set(-2), total);
    F64::store(out + i, F64::max(F64::set(0), d));  // keeps what is not a number
    inaccurate |= F64::any_less(d, F64::mul(total, F64::set(kCancellation)));
  }
  return inaccurate;
}

FK_TARGET double mask_dot(index_t n, const float* s, const float* u, const float* q, float* v) {
  typename F64::type sum[2] = {F64::set(0), F64::set(0)};
  for (index_t i = 0; i < n; i += F32::width) {
    const F32::type w = F32::mul(F32::load(s + i), F32::load(u + i));
    F32::store(v + i, w);
    F32::add_products(w, F32::load(q + i), sum);
  }
  return F64::total(F64::add(sum[0], sum[1]));
}

FK_TARGET double orthogonalise(index_t n, float alpha, const float* q, float beta, const float* p,
                               float* v) {
  typename F64::type sum[2] = {F64::set(0), F64::set(0)};
  for (index_t i = 0; i < n; i += F32::width) {
    F32::type w = F32::fma(F32::load(q + i), F32::set(-alpha), F32::load(v + i));
    w = F32::fma(F32::load(p + i), F32::set(-beta), w);
    F32::store(v + i, w);
    F32::add_products(w, w, sum);
  }
  return F64::total(F64::add(sum[0], sum[1]));
}

FK_TARGET void axpy(index_t n, float alpha, const float* x, float* y) {
  for (index_t i = 0; i < n; i += F32::width)
    F32::store(y + i, F32::fma(F32::load(x + i), F32::set(alpha), F32::load(y + i)));
}

FK_TARGET void transpose(const float* in, float* out) {
  constexpr int width = F32::width;
  for (index_t j = 0; j < kPanel; j += width)
    for (index_t r = 0; r < kPanel; r += width) {
      F32::type v[width];
      FK_UNROLL
      for (int i = 0; i < width; ++i) v[i] = F32::load(in + (j + i) * kPanel + r);
      F32::transpose(v);
      FK_UNROLL
      for (int i = 0; i < width; ++i) F32::store(out + (r + i) * kPanel + j, v[i]);
    }
}

// The moves of one vector of coordinates and what they gain, by loss.
struct BoxMove {
  FK_INLINE F32::type gain(const DualPass& d, index_t i, F32::type r) {
    const F32::type move = F32::min(F32::max(r, F32::load(d.p[0] + i)), F32::load(d.p[1] + i));
    return F32::mul(move, F32::fma(move, F32::set(-0.5f), r));
  }
};

// Written in the moves, not in the values, of which single precision would lose the end.
struct EpsilonMove {
  FK_INLINE F32::type gain(const DualPass& d, index_t i, F32::type r) {
    const F32::type value = F32::load(d.p[0] + i), price = F32::load(d.p[3] + i);
    const F32::type zero = F32::set(0), goal = F32::add(value, r);
    const F32::type idle = F32::min(F32::max(goal, F32::sub(zero, price)), price);
    const F32::type move =
        F32::min(F32::max(F32::sub(r, idle), F32::load(d.p[1] + i)), F32::load(d.p[2] + i));
    const F32::type to = F32::add(value, move);
    const F32::type same_side = F32::choose(value, move, F32::sub(zero, move));
    const F32::type longer =
        F32::choose(F32::mul(to, value), same_side, F32::sub(size(to), size(value)));
    return F32::sub(F32::mul(move, F32::fma(move, F32::set(-0.5f), r)), F32::mul(price, longer));
  }
  FK_INLINE F32::type size(F32::type x) { return F32::max(x, F32::sub(F32::set(0), x)); }
};

struct ExpectileMove {
  FK_INLINE F32::type gain(const DualPass& d, index_t i, F32::type r) {
    const F32::type value = F32::load(d.p[0] + i);
    const F32::type goal = F32::add(value, r);
    const F32::type price = priced(d, i, goal);
    const F32::type to = F32::div(goal, F32::add(F32::set(1), price));
    const F32::type move = F32::sub(to, value), half = F32::set(-0.5f);
    const F32::type now = F32::mul(F32::mul(priced(d, i, value), value), value);
    const F32::type paid = F32::sub(F32::mul(F32::mul(price, to), to), now);
    return F32::fma(paid, half, F32::mul(move, F32::fma(move, half, r)));
  }
  FK_INLINE F32::type priced(const DualPass& d, index_t i, F32::type x) {
    return F32::choose(x, F32::load(d.p[1] + i), F32::load(d.p[2] + i));
  }
};

// The step and the search in one pass. Each lane keeps its best gain and where it was.
template <typename Move>
FK_TARGET DualBest dual_pass(const DualPass& d, index_t begin, index_t end) {
  const F32::type first = F32::set(-d.step[0]), second = F32::set(-d.step[1]);
  F32::type best = F32::set(-1), at = F32::set(0), here = F32::set(0);
  for (index_t i = begin; i < end; i += F32::width) {
    F32::type r = F32::fma(F32::load(d.row[0] + i), first, F32::load(d.r + i));
    r = F32::fma(F32::load(d.row[1] + i), second, r);
    F32::store(d.r + i, r);
    const F32::type gain = Move::gain(d, i, r);
    const F32::type more = F32::sub(gain, best);
    at = F32::choose(more, here, at);
    best = F32::max(best, gain);
    here = F32::add(here, F32::set(1));
  }
  float gains[F32::width], places[F32::width];
  F32::store(gains, best);
  F32::store(places, at);
  DualBest out = {-1, begin};
  for (int lane = 0; lane < F32::width; ++lane) {
    const index_t place = begin + static_cast<index_t>(places[lane]) * F32::width + lane;
    if (gains[lane] > out.gain || (gains[lane] == out.gain && place < out.at))
      out = {gains[lane], place};
  }
  return out;
}

#include "hg_ops_body.h"
