#include "r_context.h"

#include <algorithm>
#include <chrono>
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

using Clock = std::chrono::steady_clock;

// What is done and, at the pace so far, how long the rest takes.
std::string progress_line(const std::string& phase, double done, double total, double seconds) {
  char text[80];
  if (total > 0 && done > 0)
    std::snprintf(text, sizeof text, ", %.0f%% done, about %.0f s left", 100 * done / total,
                  seconds * std::max(0.0, total - done) / done);
  else if (total > 0)
    std::snprintf(text, sizeof text, ", 0%% done");
  else
    std::snprintf(text, sizeof text, ", %.0f so far", done);
  return "flexkern: " + phase + text;
}

}  // namespace

void fill_context(Context& context, const Rcpp::List& options) {
  context.threads = option(options, "threads", context.threads);
  context.seed =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(option(options, "seed", 0.0)));
  context.memory = option(options, "memory", context.memory);
  context.device = option(options, "device", context.device);
  context.poll = check_interrupt;
  if (!option(options, "verbose", false)) return;
  // Of several runs in a row, which one this is.
  const auto label = option<std::string>(options, "label", "");
  context.progress = [label, begun = Clock::now()](const char* phase, double done, double total) {
    if (*phase == '\0') return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    Rcpp::Function("message", R_BaseEnv)(progress_line(label + phase, done, total, seconds));
  };
}

}  // namespace flexkern
