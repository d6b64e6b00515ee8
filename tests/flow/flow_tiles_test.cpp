#include "flow/flow_tiles.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <vector>

namespace fovea::flow {
namespace {

// Says what tiles are planned by, and does nothing.
class Figures final : public Matcher {
 public:
  Figures(int grid, int reach, std::uint64_t bytes, int levels = 0)
      : grid_(grid), reach_(reach), bytes_(bytes), levels_(levels) {}
  std::unique_ptr<PreparedFrame> prepare(ImageView<const float>, ImageView<const std::uint8_t>,
                                         std::unique_ptr<PreparedFrame>, const Exec&) override {
    return {};
  }
  void match(const MatchRequest&, FlowView, const Exec&) override {}
  int grid() const override { return grid_; }
  int reach(int) const override { return reach_; }
  int most_levels() const override { return levels_; }
  std::uint64_t bytes_per_pixel() const override { return bytes_; }

 private:
  int grid_, reach_;
  std::uint64_t bytes_;
  int levels_;
};

TEST(FlowTiles, WhatFitsIsNotCut) {
  const Figures matcher(1, 20, 50);
  EXPECT_EQ(plan_tiles(matcher, 1000, 800, 0).start_level, 0);
  EXPECT_EQ(plan_tiles(matcher, 1000, 800, 50 * 1000 * 800).start_level, 0);
  EXPECT_GT(plan_tiles(matcher, 1000, 800, 50 * 1000 * 800 - 1).start_level, 0);
}

TEST(FlowTiles, ImagesBeyondThirtyBitsAreCutWithoutALimit) {
  EXPECT_GT(plan_tiles(Figures(1, 20, 50), 1 << 16, 1 << 15, 0).start_level, 0);
}

TEST(FlowTiles, APyramidOfFewLevelsIsNotStartedFromACoarserOne) {
  const std::uint64_t limit = 100 << 20;
  EXPECT_GT(plan_tiles(Figures(1, 15, 60), 6000, 6000, limit).start_level, 2);
  const TilePlan plan = plan_tiles(Figures(1, 15, 60, 2), 6000, 6000, limit);
  EXPECT_TRUE(plan.from_rest);
  EXPECT_EQ(plan.start_level, 2);
  EXPECT_FALSE(plan_tiles(Figures(1, 15, 60, 9), 6000, 6000, limit).from_rest);
}

TEST(FlowTiles, TooLittleMemoryIsSaid) {
  EXPECT_THROW(plan_tiles(Figures(1, 20, 50), 2000, 2000, 1 << 20), InvalidArgument);
}

TEST(FlowTiles, CoverTheImageOnceAndBeginWhereTheWholeDoes) {
  for (const int grid : {1, 6, 8, 16}) {
    const Figures matcher(grid, 15, 60);
    const int width = 3001, height = 1799;
    const TilePlan plan = plan_tiles(matcher, width, height, 90 << 20);
    ASSERT_GT(plan.start_level, 0);
    EXPECT_EQ(plan.unit, grid << plan.start_level);
    std::vector<int> times(static_cast<std::size_t>(width) * height, 0);
    const auto tiles = tiles_of(plan, width, height);
    EXPECT_GT(tiles.size(), 1);
    for (const Rect<int>& tile : tiles) {
      const Rect<int> around = surrounded(tile, plan, 37, width, height);
      for (const Rect<int>& part : {tile, around}) {
        EXPECT_EQ(part.x % plan.unit, 0);
        EXPECT_EQ(part.y % plan.unit, 0);
      }
      EXPECT_LE(around.x, std::max(0, tile.x - plan.halo - 37));
      EXPECT_GE(around.right(), std::min(width, tile.right() + plan.halo + 37));
      EXPECT_LE(static_cast<std::uint64_t>(around.width) * around.height * 60, 90U << 20);
      for (int y = tile.y; y < tile.bottom(); ++y)
        for (int x = tile.x; x < tile.right(); ++x)
          ++times[static_cast<std::size_t>(y) * width + x];
    }
    EXPECT_EQ(std::count(times.begin(), times.end(), 1), static_cast<std::ptrdiff_t>(times.size()));
  }
}

}  // namespace
}  // namespace fovea::flow
