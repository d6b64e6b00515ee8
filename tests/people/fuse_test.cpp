// Covers: fuse_mean_shift
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/fuse.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/fuse.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

Detection at(float x, float y, float width, float height, float score) {
  const Rect<float> box{x, y, width, height};
  return {.box = box, .window = box, .score = score, .scale = height / 128};
}

// A window of 64x128 pixels of its level about a center, its person inside.
Detection window_at(float x, float y, float scale, float score) {
  const Rect<float> window{x - 32 * scale, y - 64 * scale, 64 * scale, 128 * scale};
  const Rect<float> box{x - 20 * scale, y - 50 * scale, 40 * scale, 104 * scale};
  return {.box = box, .window = window, .score = score, .scale = scale};
}

std::vector<float> scores(const std::vector<Detection>& detections) {
  std::vector<float> result;
  for (const Detection& detection : detections) result.push_back(detection.score);
  return result;
}

std::vector<Detection> clusters(int count, int people, std::uint64_t seed) {
  Random random(seed);
  std::vector<Detection> result;
  for (int i = 0; i < count; ++i) {
    const int person = i % people;
    const float scale = std::exp(0.4F * static_cast<float>(person % 4) + 0.08F * random.normal());
    result.push_back(window_at(70 * static_cast<float>(person) + 4 * scale * random.normal(),
                               200 + 8 * scale * random.normal(), scale, random.uniform(-1, 2)));
  }
  return result;
}

TEST(Fuse, OverlapIsMeasuredOverTheSmallerBoxOrTheUnion) {
  // The small box lies wholly in the large one: all of the smaller, a quarter of the union.
  const std::vector<Detection> boxes{at(0, 0, 40, 80, 1), at(10, 10, 20, 40, 2)};
  EXPECT_THAT(scores(fuse(boxes, {.method = FuseMethod::kSmaller})), ElementsAre(2));
  EXPECT_THAT(scores(fuse(boxes, {.method = FuseMethod::kUnion, .overlap = 0.3})),
              ElementsAre(2, 1));
  EXPECT_THAT(scores(fuse(boxes, {.method = FuseMethod::kUnion, .overlap = 0.2})), ElementsAre(2));
}

TEST(Fuse, ABoxStaysUnlessItOverlapsByMoreThanTheLimit) {
  const std::vector<Detection> half{at(0, 0, 10, 10, 2), at(5, 0, 10, 10, 1)};
  EXPECT_EQ(fuse(half, {.overlap = 0.5}).size(), 2U);
  EXPECT_EQ(fuse(half, {.overlap = 0.49}).size(), 1U);
}

TEST(Fuse, WhatWasDroppedDropsNothing) {
  // The third overlaps only the second, which the first drops.
  const std::vector<Detection> chain{at(0, 0, 10, 10, 3), at(3, 0, 10, 10, 2), at(6, 0, 10, 10, 1)};
  EXPECT_THAT(scores(fuse(chain, {.overlap = 0.5})), ElementsAre(3, 1));
}

TEST(Fuse, BestComeFirstAndEqualScoresKeepTheirOrder) {
  const std::vector<Detection> apart{at(0, 0, 1, 1, 1), at(10, 0, 1, 1, 5), at(20, 0, 1, 1, 1),
                                     at(30, 0, 1, 1, 5)};
  for (const FuseMethod method :
       {FuseMethod::kSmaller, FuseMethod::kUnion, FuseMethod::kMeanShift, FuseMethod::kNone}) {
    const auto fused = fuse(apart, {.method = method, .width_x = 1, .width_y = 1});
    ASSERT_EQ(fused.size(), 4U);
    const float order[] = {10, 30, 0, 20};
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(fused[i].box.x, order[i], 1e-4);
  }
}

TEST(Fuse, NoneKeepsEveryWindow) {
  const std::vector<Detection> same{at(0, 0, 10, 10, 1), at(0, 0, 10, 10, 2)};
  EXPECT_THAT(scores(fuse(same, {.method = FuseMethod::kNone})), ElementsAre(2, 1));
  EXPECT_TRUE(fuse({}, {}).empty());
}

TEST(Fuse, GreedyEqualsTheReference) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    std::vector<Detection> boxes;
    for (int i = 0; i < 300; ++i) {
      const float height = random.uniform(5, 90);
      boxes.push_back(at(random.uniform(-20, 200), random.uniform(-20, 100), 0.41F * height, height,
                         static_cast<float>(random.below(20))));
    }
    for (const bool smaller : {true, false}) {
      const double limit = 0.1 * static_cast<double>(seed % 10);
      const auto expected = reference::greedy(boxes, limit, smaller);
      const auto fused = fuse(
          boxes, {.method = smaller ? FuseMethod::kSmaller : FuseMethod::kUnion, .overlap = limit});
      ASSERT_EQ(fused.size(), expected.size());
      for (std::size_t i = 0; i < fused.size(); ++i) EXPECT_EQ(fused[i].box, expected[i].box);
    }
  }
}

TEST(FuseMeanShift, OneWindowStaysWhereItIs) {
  const Detection alone = window_at(100, 200, 1.5F, 0.7F);
  const auto fused = fuse(std::span(&alone, 1), {.method = FuseMethod::kMeanShift});
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_NEAR(fused[0].box.x, alone.box.x, 1e-4);
  EXPECT_NEAR(fused[0].box.y, alone.box.y, 1e-4);
  EXPECT_NEAR(fused[0].box.height, alone.box.height, 1e-4);
  EXPECT_EQ(fused[0].score, 0.7F);
}

TEST(FuseMeanShift, EqualWindowsMeetInTheMiddleAndKeepTheBestScore) {
  // Same weight, same scale, closer than two widths: one mode, half way.
  const std::vector<Detection> two{window_at(100, 200, 1, 0.5F), window_at(108, 200, 1, 1.5F)};
  const auto fused = fuse(two, {.method = FuseMethod::kMeanShift, .weights = FuseWeights::kOne});
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_NEAR(fused[0].window.x + 32, 104, 0.01);
  EXPECT_EQ(fused[0].score, 1.5F);
}

TEST(FuseMeanShift, WidthsGrowWithTheScale) {
  // 24 pixels are three widths at scale 1 but three quarters of one at scale 4.
  for (const float scale : {1.F, 4.F}) {
    const std::vector<Detection> two{window_at(100, 200, scale, 1), window_at(124, 200, scale, 1)};
    EXPECT_EQ(fuse(two, {.method = FuseMethod::kMeanShift}).size(), scale > 1 ? 1U : 2U);
  }
}

TEST(FuseMeanShift, WindowsWithoutWeightAreDropped) {
  const std::vector<Detection> three{window_at(100, 200, 1, 1), window_at(400, 200, 1, -0.5F),
                                     window_at(700, 200, 1, 0)};
  std::int64_t zero_weight_windows = 7;
  EXPECT_EQ(fuse(three, {.method = FuseMethod::kMeanShift}, &zero_weight_windows).size(), 1U);
  EXPECT_EQ(zero_weight_windows, 2);
  FuseOptions options{
      .method = FuseMethod::kMeanShift, .weights = FuseWeights::kMargin, .weight_from = -1};
  EXPECT_EQ(fuse(three, options, &zero_weight_windows).size(), 3U);
  EXPECT_EQ(zero_weight_windows, 0);
  options.weights = FuseWeights::kOne;
  EXPECT_EQ(fuse(three, options).size(), 3U);
  fuse(three, {.method = FuseMethod::kSmaller}, &zero_weight_windows);
  EXPECT_EQ(zero_weight_windows, 0);
}

TEST(FuseMeanShift, WeightsAreThePositiveScores) {
  // One mode, at the mean of the places weighted by max(score, 0): a width is 8 pixels, so that the
  // kernels of places this close are nearly 1.
  const std::vector<Detection> windows{window_at(100, 200, 1, 3), window_at(101, 200, 1, 1),
                                       window_at(102, 200, 1, -4)};
  const auto fused = fuse(windows, {.method = FuseMethod::kMeanShift});
  ASSERT_EQ(fused.size(), 1U);
  EXPECT_NEAR(fused[0].window.x + 32, 100.25, 0.01);
}

TEST(FuseMeanShift, MarginsNeedTheScoreThatTheyCountFrom) {
  const Detection alone = window_at(100, 200, 1, 1);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                fuse(std::span(&alone, 1),
                     {.method = FuseMethod::kMeanShift, .weights = FuseWeights::kMargin});
              }),
              HasSubstr("fuse-weight-from"));
}

TEST(FuseMeanShift, EqualsTheReference) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto windows = clusters(60, 6, seed);
    const FuseOptions options{.method = FuseMethod::kMeanShift,
                              .weights = seed % 2 == 1 ? FuseWeights::kOne : FuseWeights::kScore};
    const auto expected = reference::mean_shift(windows, options);
    const auto fused = fuse(windows, options);
    ASSERT_EQ(fused.size(), expected.size()) << seed;
    for (std::size_t i = 0; i < fused.size(); ++i) {
      const auto place = reference::place_of(fused[i]);
      EXPECT_NEAR(place[0], expected[i].at[0], 0.3);
      EXPECT_NEAR(place[1], expected[i].at[1], 0.3);
      EXPECT_NEAR(place[2], expected[i].at[2], 0.01);
      EXPECT_EQ(fused[i].score, expected[i].score);
    }
  }
}

TEST(FuseMeanShift, MovesWithItsWindows) {
  // Shifted and enlarged input gives output shifted and enlarged.
  const auto windows = clusters(80, 4, 7);
  std::vector<Detection> larger;
  const auto changed = [](Rect<float> box) {
    return Rect<float>{2 * box.x + 512, 2 * box.y - 64, 2 * box.width, 2 * box.height};
  };
  for (const Detection& window : windows)
    larger.push_back({changed(window.box), changed(window.window), window.score, 2 * window.scale});
  const FuseOptions options{.method = FuseMethod::kMeanShift};
  const auto fused = fuse(windows, options);
  const auto fused_larger = fuse(larger, options);
  ASSERT_EQ(fused.size(), fused_larger.size());
  for (std::size_t i = 0; i < fused.size(); ++i) {
    EXPECT_NEAR(fused_larger[i].box.x, changed(fused[i].box).x, 0.5);
    EXPECT_NEAR(fused_larger[i].box.height, changed(fused[i].box).height, 0.5);
  }
}

TEST(Fuse, TenThousandWindowsAreQuick) {
  const auto windows = clusters(10000, 100, 3);
  for (const FuseMethod method : {FuseMethod::kSmaller, FuseMethod::kMeanShift}) {
    const auto fused = fuse(windows, {.method = method});
    EXPECT_GE(fused.size(), 100U);
    EXPECT_LE(fused.size(), 1000U);
  }
}

TEST(Fuse, RefusesWhatIsNotANumber) {
  const auto message = [](const Detection& detection, const FuseOptions& options = {}) {
    return test::message_of<InvalidArgument>([&] { fuse(std::span(&detection, 1), options); });
  };
  EXPECT_THAT(message(at(0, 0, 1, 1, kNaN)), HasSubstr("score nan"));
  EXPECT_THAT(message(at(kNaN, 0, 1, 1, 1)), HasSubstr("must be finite"));
  EXPECT_THAT(message(at(0, 0, 0, 1, 1)), HasSubstr("not empty"));
  Detection no_scale = at(0, 0, 1, 1, 1);
  no_scale.scale = 0;
  EXPECT_THAT(message(no_scale), HasSubstr("scale 0"));
  EXPECT_THAT(message(at(0, 0, 1, 1, 1), {.overlap = 1.5}), HasSubstr("fuse-overlap"));
  EXPECT_THAT(message(at(0, 0, 1, 1, 1), {.width_scale = 1}), HasSubstr("fuse-width-scale"));
}

TEST(ClipPeople, BoxesEndAtTheBorderOfTheImage) {
  const Detection crossing{.box = {-2.5F, 4, 20, 50}, .window = {}, .score = 3};
  const Detection outside{.box = {-30, 4, 20, 50}, .window = {}, .score = 1};
  const Detection within{.box = {3.3F, 4.7F, 6.1F, 9.9F}, .window = {}, .score = 2};
  const auto people = clip_people({crossing, outside, within}, {16, 40});
  ASSERT_EQ(people.size(), 2U);
  EXPECT_EQ(people[0].box, (Rect<float>{0, 4, 16, 36}));
  EXPECT_EQ(people[1].box, within.box);
}

}  // namespace
}  // namespace fovea::people
