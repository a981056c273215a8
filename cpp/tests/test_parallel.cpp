#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/rng.h"

namespace flexkern {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

void spin(double seconds) {
  for (const auto start = clock::now(); seconds_since(start) < seconds;) {
  }
}

struct Stop : std::exception {};

TEST(ParallelFor, RunsEveryItemOnceOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 4, 9}) {
    Context context;
    std::vector<std::atomic<int>> runs(1000);
    parallel_for(1000, threads, context, [&](index_t i, int worker) {
      EXPECT_GE(worker, 0);
      EXPECT_LT(worker, threads);
      ++runs[i];
    });
    for (const auto& r : runs) ASSERT_EQ(r.load(), 1);
  }
}

TEST(ParallelFor, CopesWithNothingToDo) {
  Context context;
  parallel_for(0, 4, context, [](index_t, int) { FAIL(); });
}

TEST(ParallelFor, GivesTheSameRandomNumbersForOneAndFourThreads) {
  const auto draw = [](int threads) {
    Context context;
    std::vector<double> u(500);
    parallel_for(500, threads, context, [&](index_t i, int) { u[i] = Rng(5, i).uniform(); });
    return u;
  };
  EXPECT_EQ(draw(1), draw(4));
}

TEST(ParallelFor, CarriesAnExceptionToTheCaller) {
  for (const int threads : {1, 4}) {
    Context context;
    EXPECT_THROW(parallel_for(100, threads, context,
                              [](index_t i, int) {
                                if (i == 57) throw std::out_of_range("57");
                              }),
                 std::out_of_range);
  }
}

TEST(ParallelFor, CarriesAnExceptionOutOfNestedLoops) {
  Context context;
  const auto inner = [&](index_t i) {
    parallel_for(20, 2, context, [&](index_t j, int) {
      spin(1e-4);
      if (i == 3 && j == 11) throw std::out_of_range("inner");
    });
  };
  EXPECT_THROW(parallel_for(8, 3, context, [&](index_t i, int) { inner(i); }), std::out_of_range);
}

TEST(ParallelFor, StopsSoonWhenThePollThrows) {
  for (const int threads : {1, 2, 4}) {
    Context context;
    const auto start = clock::now();
    context.poll = [&] {
      if (seconds_since(start) > 0.1) throw Stop();
    };
    EXPECT_THROW(parallel_for(100000, threads, context, [](index_t, int) { spin(1e-3); }), Stop);
    EXPECT_LT(seconds_since(start), 5);  // to the end it would take far longer
  }
}

TEST(ParallelFor, StopsNestedLoopsSoonWhenThePollThrows) {
  for (const int threads : {1, 2, 3}) {
    Context context;
    const auto start = clock::now();
    context.poll = [&] {
      EXPECT_TRUE(context.on_owner());
      if (seconds_since(start) > 0.1) throw Stop();
    };
    const auto inner = [&](index_t, int) {
      parallel_for(100000, 2, context, [](index_t, int) { spin(1e-3); });
    };
    EXPECT_THROW(parallel_for(10, threads, context, inner), Stop);
    EXPECT_LT(seconds_since(start), 5);  // to the end it would take far longer
  }
}

TEST(Context, ReportsProgressOnTheCallingThreadAlone) {
  Context context;
  double last = 0;
  context.progress = [&](const char* phase, double done, double total) {
    EXPECT_TRUE(context.on_owner());
    EXPECT_STREQ(phase, "work");
    EXPECT_EQ(total, 60);
    EXPECT_GE(done, last);
    last = done;
  };
  context.start_phase("work", 60);
  parallel_for(60, 2, context, [&](index_t, int) {
    spin(0.05);
    context.advance(1);
  });
  EXPECT_GT(last, 0);
}

TEST(Context, ACancelledRunStaysCancelled) {
  Context context;
  context.cancel();
  EXPECT_THROW(context.check(), Cancelled);
  EXPECT_THROW(parallel_for(3, 2, context, [](index_t, int) {}), Cancelled);
}

}  // namespace
}  // namespace flexkern
