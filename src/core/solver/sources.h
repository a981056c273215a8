// What the path algorithms see of a dictionary: columns of mean 0 and equal length ("sources"),
// some of which may only be watched ("traps") or absent (padding, constant columns). A shorter one
// with another mean, an intercept, may be among them.
#ifndef FLEXKERN_SOLVER_SOURCES_H
#define FLEXKERN_SOLVER_SOURCES_H

#include <cstdint>

#include "core/base/context.h"
#include "core/base/view.h"
#include "core/device/cpu/micro.h"

namespace flexkern {

enum class Role : std::uint8_t { absent, source, trap };

class Sources {
 public:
  virtual ~Sources() = default;
  virtual index_t rows() const = 0;
  virtual index_t size() const = 0;
  virtual Role role(index_t j) const = 0;
  virtual const Micro& micro() const = 0;
  virtual int threads() const = 0;
  virtual double square(index_t j) const = 0;  // of its length
  // Column j, exact to double precision: on the rows that are learned from, and on those held out.
  virtual void column(index_t j, double* out) const = 0;
  virtual index_t held_rows() const = 0;
  virtual void held_column(index_t j, double* out) const = 0;
  // out(:, k) = Z' in(:, k) in single precision; columns are rows() and size() apart.
  virtual void correlate(const double* in, index_t cols, float* out, Context& context) = 0;
};

}  // namespace flexkern

#endif
