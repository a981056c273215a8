// parallel_for on std::thread. Threads live for one call, so a forked process starts clean; with
// one thread the same loop runs on the caller. Items must not depend on which thread runs them.
#ifndef FLEXKERN_BASE_PARALLEL_H
#define FLEXKERN_BASE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "context.h"
#include "view.h"

namespace flexkern {

namespace detail {

// Shared state of one parallel_for: the next item, the first error, and how many workers still run.
struct Crew {
  std::atomic<index_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int running = 0;
  bool cancelled = false;
  std::exception_ptr error;

  // Runs f; an exception stops the whole crew. Cancelled is only the echo of another thread's
  // reason.
  template <typename F>
  void guard(Context& context, index_t items, F f) {
    try {
      f();
      return;
    } catch (const Cancelled&) {
      std::lock_guard<std::mutex> lock(mutex);
      cancelled = true;
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!error) error = std::current_exception();
    }
    next = items;
    context.cancel();
  }
  void finish_one() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0) finished.notify_one();
  }
  // Waits for the workers, while the calling thread keeps asking whether to go on.
  void wait(Context& context) {
    std::unique_lock<std::mutex> lock(mutex);
    while (running > 0) {
      finished.wait_for(lock, std::chrono::milliseconds(20));
      lock.unlock();
      context.check();
      context.show_progress();
      lock.lock();
    }
  }
};

}  // namespace detail

// Calls run(item, worker) for item = 0..items-1, worker in 0..threads-1; rethrows the first
// exception.
template <typename Function>
void parallel_for(index_t items, int threads, Context& context, Function run) {
  detail::Crew crew;
  const auto work = [&](int worker) {
    for (index_t i = crew.next++; i < items; i = crew.next++) {
      context.check();
      run(i, worker);
    }
  };
  if (threads <= 1 || items <= 1) return work(0);

  std::vector<std::thread> team;
  crew.running = static_cast<int>(std::min<index_t>(threads, items)) - 1;
  const int wanted = crew.running;
  team.reserve(wanted);
  for (int w = 1; w <= wanted; ++w) {
    try {
      team.emplace_back([&, w] {
        crew.guard(context, items, [&] { work(w); });
        crew.finish_one();
      });
    } catch (const std::exception&) {  // no thread to be had: go on with those that started
      crew.finish_one();
    }
  }
  crew.guard(context, items, [&] { work(0); });
  crew.guard(context, items, [&] { crew.wait(context); });
  for (auto& t : team) t.join();
  if (crew.error) std::rethrow_exception(crew.error);
  if (crew.cancelled) throw Cancelled();
}

}  // namespace flexkern

#endif
