// Exceptions of the core. Arguments are validated by the caller; these report broken invariants and
// conditions that only the computation can detect.
#ifndef FLEXKERN_BASE_ERROR_H
#define FLEXKERN_BASE_ERROR_H

#include <cstdio>
#include <stdexcept>
#include <string>

namespace flexkern {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The run would need more memory than its budget allows.
struct MemoryBudgetError : Error {
  using Error::Error;
};

inline MemoryBudgetError over_budget(const std::string& what, double needed, double budget) {
  char text[128];
  std::snprintf(text, sizeof text, " needs %.3g GB of memory, more than the budget of %.3g GB",
                needed / 1e9, budget / 1e9);
  return MemoryBudgetError(what + text);
}

// Thrown on worker threads once the calling thread has asked to stop.
struct Cancelled : std::exception {
  const char* what() const noexcept override { return "cancelled"; }
};

inline void require(bool condition, const char* message) {
  if (!condition) throw Error(message);
}

}  // namespace flexkern

#endif
