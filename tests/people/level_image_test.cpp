// Covers: level_images
#include "people/level_image.h"

#include <fovea/ops/resize.h>
#include <gtest/gtest.h>

#include "support/images.h"

namespace fovea::people {
namespace {

TEST(LevelImage, ReflectsAsOftenAsItTakes) {
  const int expected[] = {0, 1, 2, 1, 0, 1, 2, 1, 0};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(reflected(i, 4, 3), expected[i]) << i;
  EXPECT_EQ(reflected(7, 3, 1), 0);
}

TEST(LevelImage, IsTheResizedImageInAMirroredFrame) {
  Random random(1);
  for (const Extent size : {Extent{40, 30}, Extent{23, 17}, Extent{3, 2}}) {
    for (const int channels : {1, 3}) {
      const auto image = test::random_image<std::uint8_t>(random, 40, 30, channels);
      const ScanPlan plan{{8, 8}, 1, 11, 0, {{size, 1, 1, 1, 1}}};
      const Extent padded = plan.padded(plan.levels[0]);
      Image<std::uint8_t> out(padded.width, padded.height, channels);
      cpu::level_image(image, plan, plan.levels[0], out, {});
      Image<std::uint8_t> level(size.width, size.height, channels);
      resize(image, level, {.exec = {.device = Device::cpu()}});
      for (int y = 0; y < padded.height; ++y) {
        for (int x = 0; x < padded.width; ++x) {
          for (int c = 0; c < channels; ++c)
            ASSERT_EQ(out.at(x, y, c),
                      level.at(reflected(x, 11, size.width), reflected(y, 11, size.height), c));
        }
      }
    }
  }
}

}  // namespace
}  // namespace fovea::people
