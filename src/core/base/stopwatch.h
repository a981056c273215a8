// Seconds between two moments.
#ifndef FLEXKERN_BASE_STOPWATCH_H
#define FLEXKERN_BASE_STOPWATCH_H

#include <chrono>

namespace flexkern {

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace flexkern

#endif
