// Masks: what they leave out influences nothing and is not computed, on every path.
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/lk/lucas_kanade_cpu.h"
#include "flow/parity.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using parity::picture;
using test::images_equal;

Image<std::uint8_t> disc(int width, int height) {
  Image<std::uint8_t> mask(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int dx = x - 90, dy = y - 60;
      mask.at(x, y) = dx * dx + dy * dy < 1600 ? 255 : 0;
    }
  return mask;
}

// Changes the pixels that a mask leaves out.
Image<std::uint8_t> changed(const Image<std::uint8_t>& image, const Image<std::uint8_t>& mask) {
  Image<std::uint8_t> result = clone(image.view());
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (mask.at(x, y) == 0) result.at(x, y) = static_cast<std::uint8_t>(x * 7 + y * 31);
  return result;
}

class FlowMask : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(FlowMask);

TEST_P(FlowMask, WhatIsLeftOutOfEitherImageDoesNotMatter) {
  const auto first = picture<std::uint8_t>(320, 240, 1, 0);
  const auto second = picture<std::uint8_t>(320, 240, 1, 1.6);
  const auto mask = disc(320, 240);
  const auto other_first = changed(first, mask), other_second = changed(second, mask);
  for (const Method method : {Method::kLucasKanade, Method::kBlockMatching})
    for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest}) {
      FlowOptions options{.method = method, .quality = quality, .exec = {.device = device()}};
      Estimator estimator(options);
      const Flow flow = estimator.estimate(first, second, mask, mask);
      const Flow again = estimator.estimate(other_first, other_second, mask, mask);
      EXPECT_TRUE(images_equal(flow.u, again.u));
      EXPECT_TRUE(images_equal(flow.confidence, again.confidence));
      // Along a video frames have their masks too.
      Estimator video(options);
      video.push(first, mask);
      const auto pushed = video.push(second, mask);
      EXPECT_TRUE(images_equal(flow.v, pushed->v));
      EXPECT_EQ(flow.u.at(300, 200), 0);
    }
}

TEST_P(FlowMask, TilesHaveTheMaskOfBothImages) {
  const auto first = picture<std::uint8_t>(1000, 800, 1, 0);
  const auto second = picture<std::uint8_t>(1000, 800, 1, 1.6);
  Image<std::uint8_t> mask(1000, 800);
  for (int y = 0; y < 800; ++y)
    for (int x = 0; x < 1000; ++x) mask.at(x, y) = (x / 100 + y / 100) % 3 == 0 ? 255 : 0;
  FlowOptions options{.quality = Quality::kFast, .exec = {.device = device()}};
  const Flow whole = Estimator(options).estimate(first, second, mask, mask);
  options.memory_bytes = 38 << 20;
  const Flow tiled = Estimator(options).estimate(first, second, mask, mask);
  EXPECT_TRUE(images_equal(whole.u, tiled.u));
}

namespace stages {

using namespace cpu;
const Exec kThreads{.device = Device::cpu(), .threads = 2};

// Pixels that count in parts of every kind: all, none, some.
Image<std::uint8_t> patches(Random& random, int width, int height) {
  Image<std::uint8_t> mask(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const int kind = (x / 70 + y / 20) % 3;
      mask.at(x, y) = kind == 0 || (kind == 1 && random.below(9) != 0) ? 255 : 0;
    }
  return mask;
}

int half_of(const Gray& gray, int x, int y) {
  int sum = 0, weights = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const int value =
          gray.row(lk::mirrored(2 * y + j, gray.height()))[lk::mirrored(2 * x + i, gray.width())];
      const int weight = lk::kHalveTaps[i + 2] * lk::kHalveTaps[j + 2];
      if (value != lk::kNoGray) sum += weight * value, weights += weight;
    }
  return weights == 0 ? lk::kNoGray : (sum + weights / 2) / weights;
}
int rank_of(const Gray& gray, int x, int y) {
  const int center = gray.row(y)[x];
  if (center == lk::kNoGray) return 0;
  int votes = 0, neighbors = -1;
  for (int j = -3; j <= 3; ++j)
    for (int i = -3; i <= 3; ++i) {
      const int value =
          gray.row(lk::mirrored(y + j, gray.height()))[lk::mirrored(x + i, gray.width())];
      if (value != lk::kNoGray) votes += lk::rank_vote(center, value), ++neighbors;
    }
  return lk::ranked(lk::whole_votes(votes, neighbors));
}

TEST(FlowMaskStage, RankAndHalvingEqualTheirLoops) {
  Random random(7);
  for (const auto& [width, height] : {std::pair{237, 61}, {64, 40}, {33, 5}, {3, 70}}) {
    Image<float> image(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<float>(random.uniform() * 255);
    const auto mask = patches(random, width, height);
    Gray gray, half;
    FrameLevel level;
    quantize(image, mask, gray, kThreads);
    halve(gray, true, half, kThreads);
    find_features(gray, true, true, level, kThreads);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        ASSERT_EQ(level.features.row(y)[x], rank_of(gray, x, y)) << x << ' ' << y;
    for (int y = 0; y < half.height(); ++y)
      for (int x = 0; x < half.width(); ++x)
        ASSERT_EQ(half.row(y)[x], half_of(gray, x, y)) << x << ' ' << y;
  }
}

TEST(FlowMaskStage, TheMedianIsThatOfTheWholeWhereItMatters) {
  Random random(8);
  FrameLevel level;
  Plane<float> in, whole, part;
  for (Plane<float>* plane : {&in, &whole, &part}) plane->resize(200, 150);
  level.mask.resize(200, 150);
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 200; ++x) {
      in.row(y)[x] = static_cast<float>(random.uniform());
      level.mask.row(y)[x] = x > 100 && x < 120 && y < 20 ? 1 : 0;
    }
  for (const int radius : {1, 2}) {
    median(in, whole, radius, kThreads);
    median(in, part, radius, NearPixels(level, 10, kThreads), kThreads);
    for (int y = 0; y < 150; ++y)
      for (int x = 0; x < 200; ++x) {
        const bool matters = x > 90 && x < 130 && y < 30;
        if (matters) {
          ASSERT_EQ(part.row(y)[x], whole.row(y)[x]) << x << ' ' << y;
        } else if (x < 50 || y > 100) {
          ASSERT_EQ(part.row(y)[x], in.row(y)[x]) << x << ' ' << y;
        }
      }
  }
}

TEST(FlowMaskStage, FlowThatTravelsFartherIsNeededFartherAway) {
  const lk::Plan plan = lk::make_plan({}, Quality::kDefault);
  for (int level = 0; level < 4; ++level)
    EXPECT_GE(lk::far_reach(plan, level), lk::reach(plan, level));
  EXPECT_GE(2 * lk::far_reach(plan, 1), lk::far_reach(plan, 0) + 2 * lk::reach(plan, 1));
}

}  // namespace stages
}  // namespace
}  // namespace fovea::flow
