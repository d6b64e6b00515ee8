#include "emd/map/map_plan.h"

#include <gmock/gmock.h>

#include <functional>
#include <numeric>
#include <set>

namespace fovea::emd {
namespace {

// All histograms of so many bins and at most so much mass.
void each_histogram(int bins, int mass, const std::function<void(const std::vector<int>&)>& call) {
  std::vector<int> counts(static_cast<std::size_t>(bins), 0);
  const std::function<void(std::size_t, int)> fill = [&](std::size_t bin, int left) {
    if (bin == counts.size()) return call(counts);
    for (int count = 0; count <= left; ++count) {
      counts[bin] = count;
      fill(bin + 1, left - count);
    }
    counts[bin] = 0;
  };
  fill(0, mass);
}

TEST(Binomial, EqualsPascalsTriangle) {
  std::vector<std::uint64_t> line{1};
  for (std::uint64_t n = 0; n <= 62; ++n) {
    for (std::uint64_t k = 0; k <= n; ++k) ASSERT_EQ(binomial(n, k), line[k]);
    std::vector<std::uint64_t> next(line.size() + 1, 1);
    for (std::size_t k = 1; k < line.size(); ++k) next[k] = line[k - 1] + line[k];
    line = next;
  }
  EXPECT_EQ(binomial(3, 5), 0U);
  EXPECT_EQ(binomial(67, 33), 14226520737620288370U);
  EXPECT_EQ(binomial(200, 100), detail::kNoKey);
}

TEST(Ranks, AreABijection) {
  for (const int bins : {1, 2, 3, 5})
    for (const int mass : {1, 4, 9}) {
      const KeyPlan plan = window_keys(bins, mass);
      ASSERT_EQ(plan.kind, KeyKind::kRank);
      std::set<std::uint64_t> ranks;
      std::uint64_t greatest = 0;
      each_histogram(bins, mass, [&](const std::vector<int>& counts) {
        const std::uint64_t rank = detail::rank_of(plan.rank(), counts);
        ranks.insert(rank);
        greatest = std::max(greatest, rank);
      });
      const std::uint64_t all =
          binomial(static_cast<std::uint64_t>(bins + mass), static_cast<std::uint64_t>(bins));
      EXPECT_EQ(ranks.size(), all);
      EXPECT_EQ(greatest, all - 1);
    }
}

TEST(Ranks, OfTheWholeMassAloneAreABijection) {
  KeyPlan plan = window_keys(4, 9);
  plan.terms = 3;  // as where one bin more would not fit
  std::set<std::uint64_t> ranks;
  each_histogram(4, 9, [&](const std::vector<int>& counts) {
    const std::uint64_t rank = detail::rank_of(plan.rank(), counts);
    if (std::accumulate(counts.begin(), counts.end(), 0) < 9) EXPECT_EQ(rank, detail::kNoKey);
    else ranks.insert(rank);
  });
  EXPECT_EQ(ranks.size(), binomial(12, 3));
  EXPECT_EQ(*ranks.rbegin(), binomial(12, 3) - 1);
}

TEST(Ranks, AreThereUpToFifteenBinsOfElevenSquared) {
  for (int bins = 1; bins <= 14; ++bins) EXPECT_EQ(window_keys(bins, 121).terms, bins);
  EXPECT_EQ(window_keys(15, 121).terms, 14);
  EXPECT_EQ(window_keys(15, 121).kind, KeyKind::kRank);
  EXPECT_EQ(window_keys(16, 121).kind, KeyKind::kWhole);
  EXPECT_EQ(window_keys(16, 25).terms, 16);
  EXPECT_EQ(window_keys(64, 9).terms, 64);
  EXPECT_EQ(window_keys(4, 65025).terms, 4);
}

TEST(PackedKeys, HoldTheCounts) {
  EXPECT_EQ(any_keys(8, 1).kind, KeyKind::kPacked);
  EXPECT_EQ(any_keys(9, 1).kind, KeyKind::kWhole);
  EXPECT_EQ(any_keys(4, 2).kind, KeyKind::kPacked);
  EXPECT_EQ(any_keys(5, 2).kind, KeyKind::kWhole);
  const std::vector<int> counts{1, 2, 255};
  EXPECT_EQ(detail::packed_counts<std::uint8_t>(3, counts), 0xff0201U);
  EXPECT_EQ(detail::packed_counts<std::uint16_t>(3, counts), 0x00ff00020001U);
}

TEST(TablePlan, HasRoomInsideItsBound) {
  const TablePlan plan(1 << 20, 16);
  const std::uint32_t most = (1 << 20) / 16;
  std::uint32_t capacity = 0;
  std::int64_t entries = 0;
  bool forgotten = false;
  const std::int64_t band = std::int64_t{plan.band_rows(100)} * 100;
  EXPECT_LE(band, TablePlan::limit(most));
  EXPECT_GT(band, most / 2);
  int times = 0;
  for (int frame = 0; frame < 100; ++frame) {
    capacity = plan.room_for(capacity, entries, {3000, 3000}, forgotten);
    if (forgotten) entries = 0, ++times;
    ASSERT_LE(capacity, most);
    ASSERT_LE(entries + 3000, TablePlan::limit(capacity));
    entries += 2500;
  }
  EXPECT_EQ(capacity, most);
  EXPECT_GT(times, 3);
  EXPECT_LT(times, 12);
}

TEST(TablePlan, FollowsTheFrames) {
  const TablePlan plan(std::uint64_t{1} << 30, 16);
  const std::int64_t pixels = 20000;
  std::uint32_t capacity = 0;
  std::int64_t entries = 0;
  bool forgotten = false;
  for (int frame = 0; frame < 200; ++frame) {
    capacity = plan.room_for(capacity, entries, {pixels, pixels}, forgotten);
    if (frame == 0) {
      EXPECT_EQ(capacity, TablePlan::kFirstSlotsPerPixel * pixels);
    }
    if (forgotten) entries = 0;
    entries += pixels;
  }
  EXPECT_EQ(capacity, TablePlan::kMostSlotsPerPixel * pixels);
  // A smaller frame neither shrinks nor grows it.
  EXPECT_EQ(plan.room_for(capacity, TablePlan::limit(capacity), {100, 100}, forgotten), capacity);
  EXPECT_TRUE(forgotten);
}

TEST(TablePlan, BandsAreSmallerWhereHistogramsAreLong) {
  EXPECT_EQ(TablePlan(0, 16, 16).band_rows(1 << 11), 1 << 10);
  EXPECT_EQ(TablePlan(0, 112, 64).band_rows(1 << 11), 1 << 8);
  bool forgotten = false;
  const std::int64_t band = 1 << 19, frame = 1 << 21;
  EXPECT_EQ(TablePlan(0, 112, 64).room_for(0, 0, {band, frame}, forgotten), 4 * band);
}

TEST(TablePlan, AlwaysTakesARow) {
  const TablePlan plan(16, 16);
  EXPECT_EQ(plan.band_rows(5000), 1);
  bool forgotten = false;
  const std::uint32_t capacity = plan.room_for(0, 0, {5000, 5000}, forgotten);
  EXPECT_GE(TablePlan::limit(capacity), 5000);
  EXPECT_FALSE(forgotten);
}

}  // namespace
}  // namespace fovea::emd
