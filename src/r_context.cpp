#include "r_context.h"

#include <cstdint>
#include <cstdio>
#include <string>

#include "r_data.h"

namespace flexkern {

namespace {

// An interrupt or an exceeded time limit jumps; unwindProtect turns the jump into a C++ exception,
// and the jump goes on where the exported function ends, when every worker has been joined.
void check_interrupt() {
  Rcpp::unwindProtect([] {
    R_CheckUserInterrupt();
    return R_NilValue;
  });
}

void show(const char* phase, double done, double total) {
  if (*phase == '\0') return;
  char text[128];
  if (total > 0)
    std::snprintf(text, sizeof text, "flexkern: %s, %.0f%%", phase, 100 * done / total);
  else
    std::snprintf(text, sizeof text, "flexkern: %s, %.0f so far", phase, done);
  Rcpp::Function("message", R_BaseEnv)(std::string(text));
}

}  // namespace

void fill_context(Context& context, const Rcpp::List& options) {
  context.threads = option(options, "threads", context.threads);
  context.seed =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(option(options, "seed", 0.0)));
  context.memory = option(options, "memory", context.memory);
  context.device = option(options, "device", context.device);
  context.poll = check_interrupt;
  if (option(options, "verbose", false)) context.progress = show;
}

}  // namespace flexkern
