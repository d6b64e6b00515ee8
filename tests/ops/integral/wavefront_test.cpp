#include "ops/integral/wavefront.h"

#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace fovea {
namespace {

TileGrid grid_for(const Exec& exec) { return divide_into_tiles(1, 4096, 512, exec); }

TEST(Wavefront, ATileRunsAfterThoseLeftAndAbove) {
  const Exec exec{.threads = 4};
  const TileGrid grid = grid_for(exec);
  ASSERT_GT(grid.strips, 1);
  std::vector<std::atomic<int>> done(static_cast<std::size_t>(grid.bands) * grid.strips);
  const auto at = [&](int band, int strip) -> std::atomic<int>& {
    return done[static_cast<std::size_t>(band) * grid.strips + strip];
  };
  std::atomic<int> too_early{0};
  for_each_tile(exec, grid, [&](int, int band, int strip) {
    if (band > 0 && at(band - 1, strip) != 1) ++too_early;
    if (strip > 0 && at(band, strip - 1) != 1) ++too_early;
    ++at(band, strip);
  });
  EXPECT_EQ(too_early, 0);
  for (const auto& count : done) EXPECT_EQ(count, 1);
}

TEST(Wavefront, AnExceptionReachesTheCallerAndNobodyWaitsForever) {
  for (const int threads : {1, 2, 4, 8}) {
    const Exec exec{.threads = threads};
    const TileGrid grid = grid_for(exec);
    for (const int failing : {0, 1, grid.bands / 2, grid.bands - 1}) {
      const auto body = [&](int, int band, int) {
        if (band == failing) throw std::runtime_error("tile");
      };
      EXPECT_THROW(for_each_tile(exec, grid, body), std::runtime_error)
          << threads << " threads, band " << failing;
    }
  }
}

TEST(Wavefront, AStopRequestedInATileEndsTheLoop) {
  for (const int threads : {1, 2, 4, 8}) {
    std::stop_source source;
    const Exec exec{.threads = threads, .stop = source.get_token()};
    const TileGrid grid = grid_for(exec);
    std::atomic<int> tiles{0};
    const auto body = [&](int, int band, int) {
      ++tiles;
      if (band == 1) source.request_stop();
    };
    EXPECT_THROW(for_each_tile(exec, grid, body), Cancelled) << threads << " threads";
    EXPECT_LT(tiles, grid.bands * grid.strips) << threads << " threads";
  }
}

}  // namespace
}  // namespace fovea
