// The tile engine beside OpenBLAS on the same shapes in the same run, as lines
//   what,n,cols,threads,flexkern,openblas
// in GFLOP/s (exp: billions of values a second); an absent library gives empty fields. Times are
// medians; with one thread they are processor times, so that a busy machine matters little.
//   blas_bench [threads] [repetitions] [n ...]
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../random_points.h"
#include "blas.h"
#include "core/device/device.h"
#include "core/solver/cholesky.h"

namespace flexkern {
namespace {

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Bench {
 public:
  Bench(int threads, int repetitions) : threads_(threads), repetitions_(repetitions) {
    context_.threads = threads;
    if (blas_) blas_.set_threads(threads);
    std::printf("# instruction set: %s\n", device_->name());
    std::printf("# OpenBLAS: %s\n", blas_ ? blas_.config() : "not found");
    std::printf("what,n,cols,threads,flexkern,openblas\n");
  }

  void exponential() {
    const index_t n = 4096, times = 2000;
    const auto in = random_values<float>(n);
    Buffer<float> out(n);
    const double seconds = median([] {},
                                  [&] {
                                    for (index_t i = 0; i < times; ++i)
                                      device_->host().exp_f32(n, -10.0f, in.data(), out.data());
                                  });
    print("exp", n, 1, static_cast<double>(n * times), seconds, 0);
  }

  // From the points to the values of the kernel, beside X X' alone.
  void gram(index_t n, index_t d) {
    const auto x = random_values<double>(n * d);
    const double ours = median([] {}, [&] { make_gram(x, n, d)->set_gamma(1); });
    double theirs = 0;
    if (blas_) {
      Buffer<double> c(n * n);
      theirs = median(
          [] {},
          [&] { blas_.outer(static_cast<int>(n), static_cast<int>(d), x.data(), c.data()); });
    }
    print("gram", n, d, 2.0 * square(n) * static_cast<double>(d), ours, theirs);
  }

  void products(index_t n) {
    const auto x = random_values<double>(n * 5);
    const auto gram = make_gram(x, n, 5);
    gram->set_gamma(1);
    Buffer<float> k;
    if (blas_) k = random_values<float>(n * n);
    for (index_t cols : {5, 25, 50, 130}) {
      Buffer<float> in(gram->stride() * cols), out(in.size());
      std::fill_n(in.data(), in.size(), 0.5f);
      const double ours = median([] {}, [&] { gram->multiply(in.data(), cols, out.data()); });
      double theirs = 0;
      if (blas_)
        theirs = median([] {},
                        [&] {
                          blas_.gemm(static_cast<int>(n), static_cast<int>(cols),
                                     static_cast<int>(n), k.data(), in.data(), out.data());
                        });
      print("product", n, cols, 2.0 * square(n) * static_cast<double>(cols), ours, theirs);
    }
  }

  void cholesky(index_t n) {
    Cholesky a(n, device_->host(), threads_, context_);
    const double ours = median([&] { fill(n, a.order(), a.column(0)); }, [&] { a.factor(0); });
    double theirs = 0;
    if (blas_) {
      Buffer<float> b(n * n);
      theirs = median([&] { fill(n, n, b.data()); },
                      [&] { blas_.potrf(static_cast<int>(n), b.data()); });
    }
    print("cholesky", n, n, square(n) * static_cast<double>(n) / 3, ours, theirs);
  }

 private:
  static double square(index_t n) { return static_cast<double>(n) * static_cast<double>(n); }

  std::unique_ptr<GramMatrix> make_gram(const Buffer<double>& x, index_t n, index_t d) {
    return device_->gram(ConstMatrixRef(x.data(), n, d), Kernel{}, threads_, context_);
  }

  // The lower triangle of a matrix with a dominant diagonal.
  static void fill(index_t n, index_t stride, float* a) {
    for (index_t j = 0; j < n; ++j)
      for (index_t i = j; i < n; ++i)
        a[j * stride + i] = i == j ? 5.0f : 1.0f / static_cast<float>(1 + i - j);
  }

  template <typename Prepare, typename Run>
  double median(Prepare prepare, Run run) const {
    std::vector<double> seconds;
    for (int r = 0; r <= repetitions_; ++r) {  // the first one warms up
      prepare();
      const double start = threads_ > 1 ? wall_seconds() : processor_seconds();
      run();
      if (r > 0) seconds.push_back((threads_ > 1 ? wall_seconds() : processor_seconds()) - start);
    }
    std::nth_element(seconds.begin(), seconds.begin() + repetitions_ / 2, seconds.end());
    return seconds[static_cast<std::size_t>(repetitions_ / 2)];
  }

  void print(const char* what, index_t n, index_t cols, double work, double ours, double theirs) {
    std::printf("%s,%td,%td,%d,%.2f,", what, n, cols, threads_, 1e-9 * work / ours);
    if (theirs > 0) std::printf("%.2f", 1e-9 * work / theirs);
    std::printf("\n");
    std::fflush(stdout);
  }

  int threads_, repetitions_;
  Context context_;
  OpenBlas blas_;
  std::unique_ptr<Device> device_ = make_device("cpu", "auto");
};

}  // namespace
}  // namespace flexkern

int main(int argc, char** argv) {
  const auto number = [&](int i, int other) { return argc > i ? std::atoi(argv[i]) : other; };
  std::vector<flexkern::index_t> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {2500, 5000, 10000};
  flexkern::Bench bench(number(1, 1), number(2, 3));
  bench.exponential();
  for (const auto n : sizes) {
    for (const flexkern::index_t d : {5, 50}) bench.gram(n, d);
    bench.products(n);
    bench.cholesky(n);
  }
}
