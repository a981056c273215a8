#include "device.h"

#include "cpu/cpu_device.h"

namespace flexkern {

std::unique_ptr<Device> make_device(const std::string& name, const std::string& isa) {
  if (name == "cuda")
    throw Error("this build of flexkern has no CUDA support; use device = \"cpu\"");
  return std::make_unique<CpuDevice>(find_micro(isa));
}

}  // namespace flexkern
