#include <gtest/gtest.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <atomic>
#include <numeric>
#include <thread>

#include "core/model/vpsvm.h"
#include "naive.h"

namespace flexkern {
namespace {

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
double bytes_in_use() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}
constexpr bool kMeasures = true;
#else
double bytes_in_use() { return 0; }
constexpr bool kMeasures = false;
#endif

// The peak of allocated bytes while it lives, above those at its start.
class PeakMeter {
 public:
  PeakMeter() : before_(bytes_in_use()), watcher_([this] { watch(); }) {}
  ~PeakMeter() { stop(); }
  double stop() {
    done_ = true;
    if (watcher_.joinable()) watcher_.join();
    return peak_ - before_;
  }

 private:
  void watch() {
    while (!done_) {
      peak_ = std::max(peak_, bytes_in_use());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }
  double before_, peak_ = 0;
  std::atomic<bool> done_{false};
  std::thread watcher_;
};

struct Case {
  Data x, y;
  CellOptions options;
  CellData data() const {
    return {x.view(), y.view(), std::vector<double>(at(x.rows), 1.0),
            std::vector<int>(at(x.rows), 0)};
  }
};

Case wave_case(index_t n, index_t d, index_t responses) {
  const Data x = uniform_data(n, d, 1);
  return {x, waves(x, responses, 0.3, 2), {}};
}

std::vector<std::vector<index_t>> chunks(index_t n, index_t count) {
  std::vector<std::int32_t> cell(at(n));
  for (index_t i = 0; i < n; ++i) cell[at(i)] = static_cast<std::int32_t>(i % count);
  return rows_by_cell(cell);
}

// The measured peak of a fit as a share of its estimate.
double share_of_estimate(const Case& c, index_t cells, int threads) {
  Context context;
  context.threads = threads;
  double estimate = 0;
  PeakMeter meter;
  fit_cells(c.data(), chunks(c.x.rows, cells), {}, c.options, *make_device("cpu", "auto"), context,
            estimate);
  return meter.stop() / estimate;
}

class MemoryPeak : public testing::Test {
 protected:
  void SetUp() override {
    if (!kMeasures || slow_run()) GTEST_SKIP() << "the allocator is not glibc's";
  }
};

TEST_F(MemoryPeak, GramMatrixTakesWhatItSays) {
  const Data x = uniform_data(1500, 3, 1);
  const auto device = make_device("cpu", "auto");
  Context context;
  const double before = bytes_in_use();
  const auto gram = device->gram(x.view(), radial(1), 1, context);
  EXPECT_NEAR(bytes_in_use() - before, device->gram_bytes(1500), 1e5);
}

TEST_F(MemoryPeak, OneCellStaysWithinItsEstimate) {
  for (const index_t responses : {1, 4}) {
    Case c = wave_case(1200, 4, responses);
    EXPECT_LT(share_of_estimate(c, 1, 1), 1.0) << responses;
    EXPECT_LT(share_of_estimate(c, 1, 2), 1.0) << responses;
  }
}

TEST_F(MemoryPeak, MachinesByTheDualStayWithinTheirEstimate) {
  Case c = wave_case(1500, 4, 2);
  c.options.losses = {{Loss::Type::pinball, 0.1, 0}, {Loss::Type::pinball, 0.9, 0}};
  for (const index_t search_rows : {8000, 400}) {
    c.options.search_rows = search_rows;
    const double share = share_of_estimate(c, 1, 2);
    EXPECT_LT(share, 1.0) << search_rows;
    EXPECT_GT(share, 0.2) << search_rows;
  }
}

TEST_F(MemoryPeak, SmallPenaltiesStayWithinTheEstimate) {
  Case c = wave_case(1200, 2, 1);
  c.options.lambdas = {1e-6 / 1200};
  for (const double gamma : {0.05, 5.0, 100.0}) {
    c.options.gammas = {gamma};
    EXPECT_LT(share_of_estimate(c, 1, 1), 1.0) << gamma;
  }
}

TEST_F(MemoryPeak, CellsBesideEachOtherStayWithinTheEstimate) {
  const Case c = wave_case(2400, 4, 2);
  EXPECT_LT(share_of_estimate(c, 6, 2), 1.0);
  EXPECT_LT(share_of_estimate(c, 6, 1), 1.0);
}

TEST_F(MemoryPeak, AnythingButAGrossOverestimate) {
  EXPECT_GT(share_of_estimate(wave_case(1200, 4, 1), 1, 1), 0.3);
}

std::string refusal(const Case& c, index_t cells, double budget) {
  Context context;
  context.memory = budget;
  double bytes = 0;
  try {
    fit_cells(c.data(), chunks(c.x.rows, cells), {}, c.options, *make_device("cpu", "auto"),
              context, bytes);
  } catch (const MemoryBudgetError& error) {
    return error.what();
  }
  return "";
}

TEST(MemoryBudget, ACellBeyondItIsRefused) {
  const Case c = wave_case(300, 2, 1);
  const std::string text = refusal(c, 1, 1e5);
  EXPECT_NE(text.find("300 rows"), std::string::npos) << text;
  EXPECT_NE(text.find("0.0001 GB"), std::string::npos) << text;
  EXPECT_NE(refusal(c, 2, 1e5).find("150 rows"), std::string::npos);
}

TEST(MemoryBudget, IsExact) {
  const Case c = wave_case(150, 2, 1);
  const double needed = cell_bytes(150, 2, 1, c.options, *make_device("cpu", "auto"));
  EXPECT_EQ(refusal(c, 1, needed), "");
  EXPECT_NE(refusal(c, 1, needed - 1), "");
}

TEST(MemoryBudget, HoldsBackCellsThatDoNotFitBesideEachOther) {
  const Case c = wave_case(600, 2, 1);
  const double one = cell_bytes(100, 2, 1, c.options, *make_device("cpu", "auto"));
  double before = one;
  for (const double fit_beside : {1.0, 2.5, 100.0}) {
    Context context;
    context.threads = 4;
    context.memory = one * fit_beside;
    double bytes = 0;
    const auto fits = fit_cells(c.data(), chunks(600, 6), {}, c.options,
                                *make_device("cpu", "auto"), context, bytes);
    EXPECT_EQ(fits.size(), 6u);
    EXPECT_LE(bytes, context.memory);
    EXPECT_GE(bytes, before);
    before = bytes;
  }
}

TEST(MemoryBudget, GrowsWithRowsFoldsAndResponses) {
  const auto device = make_device("cpu", "auto");
  CellOptions five, ten;
  ten.folds = 10;
  const double base = cell_bytes(1000, 5, 1, five, *device);
  EXPECT_GT(base, device->gram_bytes(1000));
  EXPECT_GT(cell_bytes(2000, 5, 1, five, *device), 2 * base);
  EXPECT_GT(cell_bytes(1000, 5, 4, five, *device), base);
  EXPECT_GT(cell_bytes(1000, 5, 1, ten, *device), base);
}

}  // namespace
}  // namespace flexkern
