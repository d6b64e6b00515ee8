#include <gtest/gtest.h>

#include <algorithm>

#include "flow/stereo/stereo_cpu.h"
#include "support/images.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kWidth = 120, kHeight = 100, kShift = 5;

// A texture and the same five pixels further, in another light.
template <class Light>
StereoLight measured(const Light& light) {
  StereoPlan plan;
  plan.cost = StereoCost::kAdCensus;
  plan.width = kWidth;
  plan.height = kHeight;
  plan.count = 16;
  plan.padded = kStereoLanes;
  Random random(3);
  const auto wide = test::random_image<std::uint8_t>(random, kWidth + kShift, kHeight);
  StereoFrame left{Image<std::uint8_t>(kWidth, kHeight), {}, {}, {}};
  StereoFrame right{Image<std::uint8_t>(kWidth, kHeight), {}, {}, {}};
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      left.gray.at(x, y) = wide.at(x, y);
      const double value = light(wide.at(x + kShift, y), x);
      right.gray.at(x, y) = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
    }
  prepare_stereo_frame(plan, false, {}, left);
  prepare_stereo_frame(plan, true, {}, right);
  return measure_light(plan, left, right);
}

TEST(StereoLight, EqualLightStaysAsItIs) {
  const StereoLight light = measured([](int gray, int) { return gray; });
  EXPECT_TRUE(light.explained);
  EXPECT_EQ(light.gain, 1);
  EXPECT_EQ(light.offset, 0);
}

TEST(StereoLight, GainAndOffsetAreFound) {
  const StereoLight light = measured([](int gray, int) { return 0.6 * gray + 20; });
  EXPECT_TRUE(light.explained);
  EXPECT_NEAR(light.gain, 1 / 0.6, 0.02);
  EXPECT_NEAR(light.offset, -20 / 0.6, 2);
}

TEST(StereoLight, LightThatVariesOverTheImageIsNotExplained) {
  const StereoLight light =
      measured([](int gray, int x) { return gray * (0.3 + 0.7 * x / kWidth); });
  EXPECT_FALSE(light.explained);
}

TEST(StereoLight, ATableAppliesIt) {
  Image<std::uint8_t> gray(3, 1);
  gray.at(0, 0) = 10;
  gray.at(1, 0) = 100;
  gray.at(2, 0) = 250;
  apply_light({2, -30, true}, gray);
  EXPECT_EQ(gray.at(0, 0), 0);
  EXPECT_EQ(gray.at(1, 0), 170);
  EXPECT_EQ(gray.at(2, 0), 255);
}

}  // namespace
}  // namespace fovea::flow::cpu
