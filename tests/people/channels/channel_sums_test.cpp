#include "people/channels/channel_cells.h"

#include <fovea/core/exec.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/images.h"

namespace fovea::people {
namespace {

TEST(ChannelVotes, SplitAGradientBetweenItsNearestDirections) {
  for (int degrees = 0; degrees < 360; degrees += 5) {
    const double angle = degrees * std::numbers::pi / 180;
    const int dx = static_cast<int>(std::lround(800 * std::cos(angle))),
              dy = static_cast<int>(std::lround(800 * std::sin(angle)));
    int votes[channels::kOrientations] = {};
    channels::vote(dx, dy, votes);
    int all = 0;
    for (int k = 0; k < channels::kOrientations; ++k) {
      all += votes[k];
      const int apart = std::abs((degrees % 180 - 30 * k + 270) % 180 - 90);
      if (apart >= 31) {
        EXPECT_LE(votes[k], 3) << degrees << ' ' << k;
      } else if (apart == 0) {
        EXPECT_GE(votes[k], 790) << degrees << ' ' << k;
      }
    }
    EXPECT_GE(all, 790) << degrees;
    EXPECT_LE(all, 800 * 1.04) << degrees;
  }
}

TEST(ChannelSums, AnUprightEdgeVotesForOneDirection) {
  Image<std::uint8_t> image(24, 24, 1);
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 24; ++x) image.at(x, y) = x < 12 ? 50 : 150;
  CellSums sums;
  sums.reset(5, 5);
  cpu::channel_sums(image, {2, 2}, sums, {.threads = 1});
  for (int k = 1; k < channels::kOrientations; ++k)
    EXPECT_EQ(sums.line(2, channels::kColors + k)[2], 0) << k;
  // Two cells hold the edge: over four rows each, twice the step in quarters of a level.
  int all = 0;
  for (int x = 0; x < 5; ++x) all += sums.line(2, channels::kColors)[x];
  EXPECT_EQ(all, 4 * 2 * 4 * 100);
  EXPECT_EQ(sums.line(2, 0)[0], 16 * 4 * 50);
  EXPECT_EQ(sums.line(2, 2)[4], 16 * 4 * 150);
}

}  // namespace
}  // namespace fovea::people
