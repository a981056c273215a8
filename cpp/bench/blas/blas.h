// OpenBLAS, found at run time: FLEXKERN_OPENBLAS names the library, or the loader finds it.
#ifndef FLEXKERN_BENCH_BLAS_H
#define FLEXKERN_BENCH_BLAS_H

#include <dlfcn.h>

#include <cstdlib>

namespace flexkern {

class OpenBlas {
 public:
  OpenBlas() {
    const char* name = std::getenv("FLEXKERN_OPENBLAS");
    void* library = dlopen(name ? name : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    find(library, "sgemm_", sgemm_);
    find(library, "dgemm_", dgemm_);
    find(library, "spotrf_", spotrf_);
    find(library, "openblas_set_num_threads", set_threads_);
    find(library, "openblas_get_config", config_);
  }
  explicit operator bool() const { return sgemm_ && dgemm_ && spotrf_ && set_threads_; }
  void set_threads(int threads) const { set_threads_(threads); }
  const char* config() const { return config_ ? config_() : ""; }

  // c = a b, with a of m x k and b of k x n.
  void gemm(int m, int n, int k, const float* a, const float* b, float* c) const {
    const float one = 1, zero = 0;
    sgemm_("N", "N", &m, &n, &k, &one, a, &m, b, &k, &zero, c, &m);
  }
  // c = x x', with x of m x k.
  void outer(int m, int k, const double* x, double* c) const {
    const double one = 1, zero = 0;
    dgemm_("N", "T", &m, &m, &k, &one, x, &m, x, &m, &zero, c, &m);
  }
  bool potrf(int n, float* a) const {
    int info = 0;
    spotrf_("L", &n, a, &n, &info);
    return info == 0;
  }

 private:
  template <typename T>
  static void find(void* library, const char* name, T& function) {
    function = reinterpret_cast<T>(dlsym(library, name));
  }
  template <typename T>
  using Gemm = void (*)(const char*, const char*, const int*, const int*, const int*, const T*,
                        const T*, const int*, const T*, const int*, const T*, T*, const int*);
  Gemm<float> sgemm_ = nullptr;
  Gemm<double> dgemm_ = nullptr;
  void (*spotrf_)(const char*, const int*, float*, const int*, int*) = nullptr;
  void (*set_threads_)(int) = nullptr;
  char* (*config_)() = nullptr;
};

}  // namespace flexkern

#endif
