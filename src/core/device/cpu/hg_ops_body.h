// The text of HgOps, compiled once per instruction set after micro_body.h, which it builds on.

template <typename V>
struct HgDegree;
template <>
struct HgDegree<F32> {
  static constexpr int value = 7;
};
template <>
struct HgDegree<F64> {
  static constexpr int value = 13;
};

template <typename V>
FK_TARGET void hg_squares(index_t points, const typename V::scalar* lane,
                          const typename V::scalar* point, typename V::scalar step,
                          typename V::scalar* out) {
  const typename V::type scale = V::set(step);
  for (index_t i = 0; i < points; ++i, out += kPanel)
    for (index_t r = 0; r < kPanel; r += V::width) {
      const typename V::type d = V::add(V::load(lane + r), V::set(-point[i]));
      V::store(out + r, V::mul(V::mul(d, d), scale));
    }
}

template <typename V>
FK_TARGET void hg_add_share(index_t n, typename V::scalar weight, const typename V::scalar* k,
                            typename V::scalar* out) {
  for (index_t i = 0; i < n; i += V::width) {
    const typename V::type base = V::add(V::load(out + i), V::set(weight));
    V::store(out + i, V::fma(V::load(k + i), V::set(-weight), base));
  }
}

template <typename V>
FK_TARGET void hg_link(index_t n, typename V::scalar gain, const typename V::scalar* k,
                       typename V::scalar* change, typename V::scalar* updated) {
  using T = typename V::type;
  for (index_t i = 0; i < n; i += V::width) {
    const T old = V::load(k + i);
    const T factor = exp_vector<V, HgDegree<V>::value>(V::mul(V::load(change + i), V::set(-1)));
    const T now = V::mul(old, factor);
    V::store(change + i, V::mul(V::fma(now, V::set(-1), old), V::set(gain)));
    if (updated) V::store(updated + i, now);
  }
}

template <typename V>
FK_TARGET void hg_shifted_exp(index_t n, typename V::scalar gamma,
                              const typename V::scalar* distance, const typename V::scalar* change,
                              typename V::scalar* out) {
  for (index_t i = 0; i < n; i += V::width) {
    const typename V::type sum = V::add(V::load(distance + i), V::load(change + i));
    V::store(out + i, exp_vector<V, HgDegree<V>::value>(V::mul(sum, V::set(-gamma))));
  }
}

template <typename V>
FK_TARGET void hg_product(index_t n, typename V::scalar scale, const typename V::scalar* a,
                          const typename V::scalar* b, typename V::scalar* out) {
  for (index_t i = 0; i < n; i += V::width)
    V::store(out + i, V::mul(V::mul(V::load(a + i), V::load(b + i)), V::set(scale)));
}

template <typename V>
FK_TARGET double hg_dot_share(index_t n, const typename V::scalar* c, const typename V::scalar* k) {
  using T = typename V::type;
  T sum[2] = {V::set(0), V::set(0)};
  for (index_t i = 0; i < n; i += 2 * V::width)
    for (int h = 0; h < 2; ++h) {
      const T v = V::load(c + i + h * V::width);
      const T rest = V::fma(V::load(k + i + h * V::width), V::set(-1), V::set(1));
      sum[h] = V::fma(v, rest, sum[h]);
    }
  return V::total(V::add(sum[0], sum[1]));
}

#define FK_HG_OPS(V) \
  { hg_squares<V>, hg_add_share<V>, hg_link<V>, hg_shifted_exp<V>, hg_product<V>, hg_dot_share<V> }
