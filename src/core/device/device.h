// What a computing device offers to the solvers: one Gram matrix that it holds and multiplies, and
// kernel expansions evaluated at given points. The CPU implements it in cpu/; another device
// implements it again.
#ifndef FLEXKERN_DEVICE_DEVICE_H
#define FLEXKERN_DEVICE_DEVICE_H

#include <memory>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/points.h"
#include "core/device/cpu/micro.h"
#include "core/kernel/kernel.h"

namespace flexkern {

// The Gram matrix of n points in single precision. Blocks of vectors have `stride()` rows, of which
// the first n are used; the others are zero on entry and hold anything on return.
class GramMatrix {
 public:
  virtual ~GramMatrix() = default;
  virtual index_t stride() const = 0;
  // Evaluates the kernel with this gamma.
  virtual void set_gamma(double gamma) = 0;
  // The lower triangle of the submatrix of these rows, which rise; columns of `out` are `stride`
  // apart.
  virtual void submatrix(const std::vector<index_t>& rows, float* out, index_t stride) const = 0;
  // out = K in, for the `cols` columns of a block.
  virtual void multiply(const float* in, index_t cols, float* out) = 0;
};

// The Gram matrix by rows, in single precision and scaled to a unit diagonal: entry (i, j) is
// k(x_i, x_j) / (scale_i scale_j) with scale_i^2 = k(x_i, x_i). Rows are padded with zeros to
// `stride()` values. A point with k(x, x) = 0 has scale 0 and a row of zeros.
class GramRows {
 public:
  virtual ~GramRows() = default;
  virtual index_t size() const = 0;
  virtual index_t stride() const = 0;
  virtual void set_gamma(double gamma) = 0;
  virtual const float* row(index_t i) const = 0;
  virtual double scale(index_t i) const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const char* name() const = 0;
  // The vector routines of the processor that drives the device.
  virtual const Micro& host() const = 0;
  virtual std::unique_ptr<GramMatrix> gram(const Points& x, const Kernel& kernel, int threads,
                                           Context& context) const = 0;
  // `keep_base`: a new gamma costs a pass of the exponential; without, as much as the first one,
  // in half of the memory. x must live as long as the matrix.
  virtual std::unique_ptr<GramRows> gram_rows(const Points& x, const Kernel& kernel, bool keep_base,
                                              int threads, Context& context) const = 0;
  // Bytes that gram() or, with its base, gram_rows() take for n points.
  virtual double gram_bytes(index_t n) const = 0;
  // For many points: the values of half of the pairs, the matrix being symmetric, as far as they
  // fit into so many bytes; the others are computed again in every product. The bits are the same
  // in any case. x must live as long as the matrix.
  virtual std::unique_ptr<GramMatrix> compact_gram(const Points& x, const Kernel& kernel,
                                                   double bytes, int threads,
                                                   Context& context) const = 0;
  // Bytes with which compact_gram() holds all values for n points.
  virtual double compact_gram_bytes(index_t n) const = 0;
  // out = K(x, centers) coef, in double precision throughout.
  virtual void expand(const Points& x, const Points& centers, const Kernel& kernel,
                      ConstMatrixRef coef, MatrixRef out, int threads, Context& context) const = 0;
};

// The device of that name: "auto", "cpu" or "cuda"; `isa` names the CPU's instruction set or is
// "auto".
std::unique_ptr<Device> make_device(const std::string& name, const std::string& isa);

}  // namespace flexkern

#endif
