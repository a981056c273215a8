#include "micro.h"

#include "core/base/error.h"

namespace flexkern {

std::vector<const Micro*> available_micro() {
  std::vector<const Micro*> tables;
#ifdef FLEXKERN_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    tables.push_back(&kMicroAvx2);
#endif
  tables.push_back(&kMicroPlain);
  return tables;
}

const Micro& find_micro(const std::string& name) {
  for (const Micro* m : available_micro())
    if (name == "auto" || name == m->name) return *m;
  throw Error("this processor has no instruction set '" + name + "'");
}

}  // namespace flexkern
