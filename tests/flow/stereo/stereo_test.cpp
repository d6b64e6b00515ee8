// Covers: stereo_strips, stereo_cost, stereo_choose, stereo_clean, stereo_frame, stereo_evaluate
#include <fovea/core/error.h>
#include <fovea/flow/stereo.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/stereo/stereo_cpu.h"
#include "reference/stereo.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr float kNotKnown = std::numeric_limits<float>::infinity();

// A texture, and the same shifted to the left by a whole number of pixels.
struct ShiftedPair {
  Image<std::uint8_t> left, right;

  ShiftedPair(int width, int height, int shift, int gain_percent = 100)
      : left(width, height), right(width, height) {
    Random random(5);
    const Image<std::uint8_t> wide = test::random_image<std::uint8_t>(random, width + 64, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        left.at(x, y) = wide.at(x + 32, y);
        right.at(x, y) = static_cast<std::uint8_t>(wide.at(x + 32 + shift, y) * gain_percent / 100);
      }
  }
};

double share_at(const Image<float>& disparity, float wanted, int first_column) {
  int right = 0, all = 0;
  for (int y = 0; y < disparity.height(); ++y)
    for (int x = first_column; x < disparity.width(); ++x, ++all)
      right += std::abs(disparity.at(x, y) - wanted) <= 0.25F ? 1 : 0;
  return static_cast<double>(right) / all;
}

StereoOptions quick(StereoMethod method, StereoCost cost) {
  StereoOptions options{.method = method, .cost = cost, .max_disparity = 15, .speckle = 0};
  options.exec.device = Device::cpu();
  return options;
}

class StereoMethods : public test::OnEveryPlace {};

TEST_P(StereoMethods, AWholeShiftIsFoundByEveryCost) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "stereo has no twin on the GPU";
  const ShiftedPair pair(64, 40, 7);
  for (const auto method : {StereoMethod::kSemiGlobal, StereoMethod::kBlock})
    for (const auto cost :
         {StereoCost::kCensus, StereoCost::kSad, StereoCost::kNcc, StereoCost::kAdCensus}) {
      const Disparity found = match_stereo(pair.left, pair.right, quick(method, cost));
      EXPECT_GT(share_at(found.disparity, 7, 12), 0.98)
          << static_cast<int>(method) << " " << static_cast<int>(cost);
      for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 64; ++x) {
          EXPECT_GE(found.confidence.at(x, y), 0);
          EXPECT_LE(found.confidence.at(x, y), 1);
        }
    }
}
FOVEA_ON_EVERY_PLACE(StereoMethods);

TEST(Stereo, NegativeDisparitiesAreFound) {
  const ShiftedPair pair(64, 24, -5);
  StereoOptions options = quick(StereoMethod::kSemiGlobal, StereoCost::kCensus);
  options.min_disparity = -10;
  options.max_disparity = 3;
  const Disparity found = match_stereo(pair.left, pair.right, options);
  int right = 0;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 54; ++x) right += std::abs(found.disparity.at(x, y) + 5) <= 0.25F ? 1 : 0;
  EXPECT_GT(right, 0.98 * 24 * 54);
}

TEST(Stereo, ADarkerRightImageIsNoProblemForAllButPlainDifferences) {
  const ShiftedPair pair(64, 40, 6, 60);
  for (const auto cost : {StereoCost::kCensus, StereoCost::kNcc, StereoCost::kAdCensus})
    EXPECT_GT(
        share_at(
            match_stereo(pair.left, pair.right, quick(StereoMethod::kSemiGlobal, cost)).disparity,
            6, 12),
        0.97);
}

TEST(Stereo, ChoicesAreThoseOfTheTextbook) {
  const ShiftedPair pair(40, 30, 4);
  StereoOptions options = quick(StereoMethod::kBlock, StereoCost::kCensus);
  options.max_disparity = 9;
  options.block = 5;
  options.check.reset();
  options.uniqueness = 0;
  options.median = options.subpixel = false;
  const Disparity found = match_stereo(pair.left, pair.right, options);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      int best = 0, least = std::numeric_limits<int>::max();
      for (int d = 0; d <= std::min(9, x); ++d) {
        const int sum = fovea::reference::census_sum(pair.left, pair.right, x, y, d, 5);
        if (sum < least) {
          least = sum;
          best = d;
        }
      }
      ASSERT_EQ(found.disparity.at(x, y), static_cast<float>(best)) << x << " " << y;
    }
}

// The same with differences, whose sums the textbook adds to those of the census.
TEST(Stereo, ChoicesOfCensusAndDifferencesAreThoseOfTheTextbook) {
  const ShiftedPair pair(40, 30, 4);
  StereoOptions options = quick(StereoMethod::kBlock, StereoCost::kAdCensus);
  options.max_disparity = 9;
  options.block = 3;
  options.check.reset();
  options.uniqueness = 0;
  options.median = options.subpixel = false;
  const Disparity found = match_stereo(pair.left, pair.right, options);
  const auto differences = [&](int x, int y, int d) {
    int sum = 0;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        const int px = std::clamp(x + i, 0, 39), py = std::clamp(y + j, 0, 29);
        const int there = std::clamp(px - d, 0, 39);
        sum += 2 * std::min(std::abs(pair.left.at(px, py) - pair.right.at(there, py)), 16);
      }
    return sum;
  };
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      int best = 0, least = std::numeric_limits<int>::max();
      for (int d = 0; d <= std::min(9, x); ++d) {
        const int sum =
            fovea::reference::census_sum(pair.left, pair.right, x, y, d, 3) + differences(x, y, d);
        if (sum < least) {
          least = sum;
          best = d;
        }
      }
      ASSERT_EQ(found.disparity.at(x, y), static_cast<float>(best)) << x << " " << y;
    }
}

// A near bar hides a strip of the ground, whose pixels find places that belong to others.
TEST(Stereo, PixelsThatLoseTheirPlaceToABetterOneAreNotKnown) {
  const ShiftedPair ground(96, 24, 2), bar(96, 24, 10);
  Image<std::uint8_t> left = clone(ground.left.view()), right = clone(ground.right.view());
  for (int y = 0; y < 24; ++y)
    for (int x = 48; x < 72; ++x) {
      left.at(x, y) = static_cast<std::uint8_t>(255 - bar.left.at(x, y));
      right.at(x - 10, y) = left.at(x, y);
    }
  const auto known = [&](std::optional<double> check) {
    StereoOptions options = quick(StereoMethod::kSemiGlobal, StereoCost::kAdCensus);
    options.check = check;
    options.uniqueness = 0;
    const Disparity found = match_stereo(left, right, options);
    int count = 0;
    for (int y = 4; y < 20; ++y)
      for (int x = 40; x < 48; ++x) count += std::isfinite(found.disparity.at(x, y)) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(known({}), 8 * 16);
  EXPECT_LT(known(1.0), 8 * 16 / 2);
}

TEST(Stereo, PartsOfAPixelAreFoundOnASlantedPlane) {
  // f(x, y) at the left, shown at x - d(x) at the right, with d from 4 to 8.
  constexpr int kWidth = 120, kHeight = 40;
  Image<std::uint8_t> left(kWidth, kHeight), right(kWidth, kHeight);
  Image<float> truth(kWidth, kHeight);
  const auto texture = [](double x, double y) {
    return static_cast<std::uint8_t>(128 + 50 * std::sin(1.1 * x + 0.3 * y) +
                                     40 * std::sin(0.37 * x - 0.9 * y + 0.002 * x * x) +
                                     30 * std::sin(0.13 * x * (1 + 0.05 * y)));
  };
  constexpr double kSlope = 4.0 / kWidth;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      left.at(x, y) = texture(x, y);
      right.at(x, y) = texture((x + 4) / (1 - kSlope), y);
      truth.at(x, y) = static_cast<float>(4 + kSlope * x);
    }
  const Disparity found =
      match_stereo(left, right, quick(StereoMethod::kSemiGlobal, StereoCost::kCensus));
  const StereoErrors errors = evaluate_stereo(found.disparity, truth).visible;
  EXPECT_LT(errors.mean, 0.25);
  EXPECT_LT(errors.bad1 + errors.unknown, 0.05);
}

TEST(Stereo, ThreadsAndTypesDoNotChangeTheResult) {
  const ShiftedPair pair(50, 300, 5);  // more than one strip
  StereoOptions options = quick(StereoMethod::kSemiGlobal, StereoCost::kAdCensus);
  options.exec.threads = 1;
  const Disparity one = match_stereo(pair.left, pair.right, options);
  options.exec.threads = 3;
  const Disparity three = match_stereo(pair.left, pair.right, options);
  EXPECT_TRUE(test::images_equal(one.disparity, three.disparity));
  EXPECT_TRUE(test::images_equal(one.confidence, three.confidence));
  Image<float> left(50, 300), right(50, 300);
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 50; ++x) {
      left.at(x, y) = static_cast<float>(pair.left.at(x, y)) / 255;
      right.at(x, y) = static_cast<float>(pair.right.at(x, y)) / 255;
    }
  const Disparity floats = match_stereo(left, right, options);
  EXPECT_GT(share_at(floats.disparity, 5, 12), 0.97);
  left.at(3, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message_of([&] { match_stereo(left, right, options); }), HasSubstr("pixel (3, 2)"));
}

TEST(Stereo, ConstantAndTinyImagesAreNotKnownOrFilled) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{3, 40}, std::pair{40, 2}}) {
    Image<std::uint8_t> gray(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) gray.at(x, y) = 90;
    StereoOptions options = quick(StereoMethod::kSemiGlobal, StereoCost::kCensus);
    options.fill = true;
    const Disparity found = match_stereo(gray, gray, options);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) EXPECT_FALSE(std::isnan(found.disparity.at(x, y)));
  }
}

// At the left border only a few disparities lie inside the image: that none of them has a
// competitor says nothing.
TEST(Stereo, FirstColumnsAreNotCertain) {
  const ShiftedPair pair(64, 40, 9);
  for (const auto method : {StereoMethod::kSemiGlobal, StereoMethod::kBlock}) {
    StereoOptions options = quick(method, StereoCost::kCensus);
    options.median = false;
    options.check.reset();
    options.uniqueness = 0.04;
    const Disparity found = match_stereo(pair.left, pair.right, options);
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 2; ++x) {
        EXPECT_FALSE(std::isfinite(found.disparity.at(x, y))) << x << " " << y;
        EXPECT_EQ(found.confidence.at(x, y), 0) << x << " " << y;
      }
  }
  // A range of three disparities has no competitors anywhere, and there is no doubt.
  StereoOptions narrow = quick(StereoMethod::kBlock, StereoCost::kCensus);
  narrow.min_disparity = 8;
  narrow.max_disparity = 10;
  EXPECT_EQ(match_stereo(pair.left, pair.right, narrow).confidence.at(40, 20), 1);
}

TEST(Stereo, MemoryLimitsThreadsAndNotTheResult) {
  cpu::StereoPlan plan;
  plan.width = 4000;
  plan.height = 3000;
  plan.count = plan.padded = 512;
  plan.block = 5;
  const std::uint64_t strip = cpu::strip_bytes(plan);
  EXPECT_GT(strip, std::uint64_t{3} * 4000 * 512 * 96);
  EXPECT_EQ(cpu::strip_threads(plan, 0, 32), 1);
  EXPECT_EQ(cpu::strip_threads(plan, 2 * strip + 1, 32), 2);
  EXPECT_EQ(cpu::strip_threads(plan, 100 * strip, 32), 32);
  EXPECT_LT(cpu::strip_threads(plan, StereoOptions{}.memory_bytes, 32), 4);
  plan.method = StereoMethod::kBlock;
  EXPECT_LT(cpu::strip_bytes(plan), strip / 10);
  const ShiftedPair pair(50, 300, 5);  // more than one strip
  StereoOptions options = quick(StereoMethod::kSemiGlobal, StereoCost::kCensus);
  options.exec.threads = 3;
  const Disparity many = match_stereo(pair.left, pair.right, options);
  options.memory_bytes = 1;
  EXPECT_TRUE(
      test::images_equal(many.disparity, match_stereo(pair.left, pair.right, options).disparity));
}

TEST(Stereo, SpecklesAreConnectedPatches) {
  Image<float> disparity(6, 4);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) disparity.at(x, y) = 5;
  disparity.at(0, 0) = 9;  // a patch of two, one step apart
  disparity.at(0, 1) = 8;
  disparity.at(5, 3) = 6;  // belongs to the rest
  disparity.at(3, 2) = kNotKnown;
  cpu::remove_speckles(disparity, 3);
  EXPECT_FALSE(std::isfinite(disparity.at(0, 0)));
  EXPECT_FALSE(std::isfinite(disparity.at(0, 1)));
  EXPECT_FALSE(std::isfinite(disparity.at(3, 2)));
  EXPECT_EQ(disparity.at(5, 3), 6);
  EXPECT_EQ(disparity.at(1, 0), 5);
}

TEST(Stereo, BadRequestsAreNamed) {
  const Image<std::uint8_t> a = ShiftedPair(8, 8, 0).left, b = ShiftedPair(9, 8, 0).left;
  EXPECT_THAT(message_of([&] { match_stereo(a, b); }), HasSubstr("8x8, but the right one is 9x8"));
  EXPECT_THAT(message_of([] { StereoMatcher({.min_disparity = 9, .max_disparity = 4}); }),
              HasSubstr("from 9 to 4"));
  EXPECT_THAT(message_of([] { StereoMatcher({.block = 4}); }), HasSubstr("4 pixels wide"));
  EXPECT_THAT(message_of([] { StereoMatcher({.small_penalty = 9, .large_penalty = 2}); }),
              HasSubstr("large penalty 2"));
  StereoOptions cuda;
  cuda.exec.device = {DeviceKind::kCuda, 0};
  EXPECT_THAT(message_of([&] { StereoMatcher matcher(cuda); }), HasSubstr("CPU only"));
}

TEST(EvaluateStereo, SharesAreThoseOfTheDefinitions) {
  Image<float> truth(6, 1), found(6, 1);
  for (int x = 0; x < 6; ++x) truth.at(x, 0) = 1, found.at(x, 0) = 1;
  truth.at(5, 0) = kNotKnown;
  found.at(1, 0) = 1.75F;
  found.at(2, 0) = 6.5F;
  found.at(3, 0) = kNotKnown;
  const StereoReport report = evaluate_stereo(found, truth);
  EXPECT_EQ(report.all.pixels, 5);
  EXPECT_DOUBLE_EQ(report.all.mean, (0.75 + 5.5) / 4);
  EXPECT_DOUBLE_EQ(report.all.bad05, 0.4);
  EXPECT_DOUBLE_EQ(report.all.bad1, 0.2);
  EXPECT_DOUBLE_EQ(report.all.bad4, 0.2);
  EXPECT_DOUBLE_EQ(report.all.unknown, 0.2);
  EXPECT_EQ(report.visible.pixels, 4);  // the first pixel leaves the right image
  truth.at(0, 0) = truth.at(1, 0) = truth.at(2, 0) = truth.at(3, 0) = truth.at(4, 0) = kNotKnown;
  EXPECT_THAT(message_of([&] { evaluate_stereo(found, truth); }), HasSubstr("no true disparity"));
}

TEST(EvaluateStereo, WhatIsHiddenIsNotVisible) {
  // Pixels 5 to 7 are nearer by 3 pixels and hide those that are found at 2 to 4 of the right
  // image.
  Image<float> truth(10, 1);
  for (int x = 0; x < 10; ++x) truth.at(x, 0) = x >= 5 && x < 8 ? 3.F : 0.F;
  const Image<std::uint8_t> visible = visible_pixels(truth);
  for (int x = 0; x < 10; ++x) EXPECT_EQ(visible.at(x, 0) != 0, x < 2 || x >= 5) << x;
}

TEST(DisparityPicture, NearIsBrightAndUnknownIsGray) {
  Image<float> disparity(3, 1);
  disparity.at(0, 0) = 1;
  disparity.at(1, 0) = 40;
  disparity.at(2, 0) = kNotKnown;
  const Image<std::uint8_t> picture = disparity_picture(disparity);
  EXPECT_GT(picture.at(1, 0, 0) + picture.at(1, 0, 1), picture.at(0, 0, 0) + picture.at(0, 0, 1));
  for (int c = 0; c < 3; ++c) EXPECT_EQ(picture.at(2, 0, c), 110);
  EXPECT_THAT(message_of([&] { disparity_picture(disparity, {.nearest = 5, .farthest = 60}); }),
              HasSubstr("nearest disparity of a picture is 5 and the farthest 60"));
  disparity_picture(disparity, {.nearest = 60, .farthest = 5});
}

}  // namespace
}  // namespace fovea::flow
