// parallel_for on std::thread. The threads belong to the call's Context, so a forked process starts
// clean; with one thread the same loop runs on the caller. Items must not depend on which thread
// runs them.
#ifndef FLEXKERN_BASE_PARALLEL_H
#define FLEXKERN_BASE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "context.h"
#include "view.h"

namespace flexkern {

namespace detail {

// Shared state of one parallel_for: the next item and the first error.
struct Crew {
  std::atomic<index_t> next{0};
  std::mutex mutex;
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
};

// The threads of the context, or some for this loop alone if another one around it has them.
class TeamUse {
 public:
  explicit TeamUse(Context& context) : context_(context), team_(context.claim_team()) {}
  ~TeamUse() {
    if (team_) context_.release_team();
  }
  Team& team() { return team_ ? *team_ : own_; }

 private:
  Context& context_;
  Team* team_;
  Team own_;
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

  const std::function<void(int)> job = [&](int worker) {
    crew.guard(context, items, [&] { work(worker); });
  };
  detail::TeamUse use(context);
  use.team().start(job, static_cast<int>(std::min<index_t>(threads, items)) - 1);
  job(0);
  // The calling thread keeps asking whether to go on.
  bool done = false;
  const auto wait = [&] {
    while (!(done = use.team().wait(std::chrono::milliseconds(20)))) {
      context.check();
      context.show_progress();
    }
  };
  while (!done) crew.guard(context, items, wait);
  if (crew.error) std::rethrow_exception(crew.error);
  if (crew.cancelled) throw Cancelled();
}

}  // namespace flexkern

#endif
