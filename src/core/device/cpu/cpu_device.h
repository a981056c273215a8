// The CPU as a device.
#ifndef FLEXKERN_DEVICE_CPU_CPU_DEVICE_H
#define FLEXKERN_DEVICE_CPU_CPU_DEVICE_H

#include "core/device/device.h"
#include "micro.h"

namespace flexkern {

class CpuDevice : public Device {
 public:
  explicit CpuDevice(const Micro& micro) : micro_(micro) {}
  const char* name() const override { return micro_.name; }
  const Micro& host() const override { return micro_; }
  std::unique_ptr<GramMatrix> gram(const Points& x, const Kernel& kernel, int threads,
                                   Context& context) const override;
  std::unique_ptr<GramRows> gram_rows(const Points& x, const Kernel& kernel, bool keep_base,
                                      int threads, Context& context) const override;
  double gram_bytes(index_t n) const override;
  std::unique_ptr<GramMatrix> compact_gram(const Points& x, const Kernel& kernel, double bytes,
                                           int threads, Context& context) const override;
  double compact_gram_bytes(index_t n) const override;
  void expand(const Points& x, const Points& centers, const Kernel& kernel, ConstMatrixRef coef,
              MatrixRef out, int threads, Context& context) const override;

 private:
  const Micro& micro_;
};

}  // namespace flexkern

#endif
