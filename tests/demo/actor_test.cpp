#include "demo/actor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace fovea::cli {
namespace {

int difference(ImageView<const std::uint8_t> a, ImageView<const std::uint8_t> b) {
  int pixels = 0;
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x)
      pixels += std::abs(a.at(x, y, 0) - b.at(x, y, 0)) > 20 ? 1 : 0;
  return pixels;
}

TEST(DemoActor, MovesInEveryActAndTheRoomIsStill) {
  for (const Act act : {Act::kWalk, Act::kWave, Act::kJump, Act::kBend}) {
    const auto video = draw_act_video(act, {2}, 12);
    const int moved = difference(video.front(), video.back());
    EXPECT_GT(moved, 60) << kActNames[static_cast<std::size_t>(act)];
    EXPECT_LT(moved, kActorWidth * kActorHeight / 6) << kActNames[static_cast<std::size_t>(act)];
    EXPECT_EQ(video.front().at(3, 3, 1), video.back().at(3, 3, 1));
  }
}

TEST(DemoActor, SamePersonIsTheSameAndOthersDiffer) {
  EXPECT_EQ(difference(draw_act(Act::kWave, {1}, 7), draw_act(Act::kWave, {1}, 7)), 0);
  EXPECT_GT(difference(draw_act(Act::kWave, {1}, 7), draw_act(Act::kWave, {2}, 7)), 60);
}

}  // namespace
}  // namespace fovea::cli
