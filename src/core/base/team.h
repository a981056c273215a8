// Threads that stay for as long as their owner, so that a loop need not start them anew.
#ifndef FLEXKERN_BASE_TEAM_H
#define FLEXKERN_BASE_TEAM_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace flexkern {

// One job at a time, for one caller at a time. Who waits asks again and again for a moment and then
// sleeps: loops mostly follow each other at once, and a busy machine loses no more than the moment.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      ++round_;
    }
    begin_.notify_all();
    for (auto& t : threads_) t.join();
  }

  // Starts job(1), job(2), ... on up to `count` threads and returns their number; where no more
  // threads are to be had, there are fewer. The job must live until wait() has returned true, and
  // throws nothing.
  int start(const std::function<void(int)>& job, int count) {
    enlist(count);
    const int started = std::min(count, static_cast<int>(threads_.size()));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      job_ = &job;
      wanted_ = started;
      running_.store(started);
      ++round_;
    }
    begin_.notify_all();
    return started;
  }
  // Waits some time for the job's end; returns whether it has come.
  bool wait(std::chrono::milliseconds patience) {
    if (soon([&] { return running_.load() == 0; })) return true;
    std::unique_lock<std::mutex> lock(mutex_);
    return end_.wait_for(lock, patience, [&] { return running_.load() == 0; });
  }

 private:
  static constexpr std::chrono::microseconds kMoment{40};
  template <typename Condition>
  static bool soon(Condition condition) {
    const auto until = std::chrono::steady_clock::now() + kMoment;
    do {
      for (int i = 0; i < 32; ++i)
        if (condition()) return true;
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  void enlist(int count) {
    try {
      while (static_cast<int>(threads_.size()) < count) {
        const int place = static_cast<int>(threads_.size()) + 1;
        const int seen = round_.load();
        threads_.emplace_back([this, place, seen] { serve(place, seen); });
      }
    } catch (const std::exception&) {  // go on with those that started
    }
  }

  void serve(int place, int seen) {
    while (true) {
      if (!soon([&] { return round_.load() != seen; })) {
        std::unique_lock<std::mutex> lock(mutex_);
        begin_.wait(lock, [&] { return round_.load() != seen; });
      }
      const std::function<void(int)>* job = nullptr;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        seen = round_.load();
        if (stop_) return;
        if (place <= wanted_) job = job_;
      }
      if (!job) continue;
      (*job)(place);
      std::lock_guard<std::mutex> lock(mutex_);
      if (running_.fetch_sub(1) == 1) end_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable begin_, end_;
  std::vector<std::thread> threads_;
  std::atomic<int> round_{0}, running_{0};
  const std::function<void(int)>* job_ = nullptr;
  int wanted_ = 0;
  bool stop_ = false;
};

}  // namespace flexkern

#endif
