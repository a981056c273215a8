// What a run carries with it: threads, seed, memory budget, instruction set, the cancel flag and
// two hooks. There are no globals; a Context lives as long as one call.
#ifndef FLEXKERN_BASE_CONTEXT_H
#define FLEXKERN_BASE_CONTEXT_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "error.h"
#include "team.h"

namespace flexkern {

class Context {
 public:
  int threads = 1;
  std::uint64_t seed = 0;
  double memory = 4e9;  // bytes that the run may allocate for its work
  std::string device = "cpu";
  // Called on the calling thread only, at most every 50 ms. It throws to stop the run.
  std::function<void()> poll;
  // Called on the calling thread only, at most once a second, with a phase name and units done and
  // in total.
  std::function<void(const char*, double, double)> progress;

  Context() : owner_(std::this_thread::get_id()) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Every loop calls this at least every few milliseconds of work.
  void check() {
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
    if (!poll || !on_owner() || !due(last_poll_, 0.05)) return;
    poll();
  }
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool on_owner() const { return std::this_thread::get_id() == owner_; }

  // The threads of this call; null on another thread, or while a loop has them.
  Team* claim_team() {
    if (!on_owner() || team_claimed_) return nullptr;
    team_claimed_ = true;
    return &team_;
  }
  void release_team() { team_claimed_ = false; }

  // Progress may be reported from any thread; it is shown from the calling one.
  void start_phase(std::string name, double total) {
    phase_ = std::move(name);
    total_ = total;
    done_.store(0);
  }
  void advance(double units) {
    double seen = done_.load();
    while (!done_.compare_exchange_weak(seen, seen + units)) {
    }
    show_progress();
  }
  void show_progress() {
    if (progress && on_owner() && due(last_progress_, 1.0))
      progress(phase_.c_str(), done_.load(), total_);
  }

 private:
  using clock = std::chrono::steady_clock;
  static bool due(clock::time_point& last, double seconds) {
    const auto now = clock::now();
    if (std::chrono::duration<double>(now - last).count() < seconds) return false;
    last = now;
    return true;
  }
  std::thread::id owner_;
  Team team_;
  bool team_claimed_ = false;
  std::atomic<bool> cancelled_{false};
  std::atomic<double> done_{0.0};
  std::string phase_;
  double total_ = 0;
  clock::time_point last_poll_ = clock::now(), last_progress_ = clock::now();
};

}  // namespace flexkern

#endif
