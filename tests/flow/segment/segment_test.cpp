// Covers: segment_fit, segment_gather, segment_label, segment_regions, segment_evaluate
#include <fovea/core/error.h>
#include <fovea/flow/segment.h>

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

#include "flow/segment/segment_parts.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using test::message_of;
using testing::HasSubstr;

// A field of three motions: a ground that turns and grows, a square and a disc in front of it.
struct Layers {
  Image<float> u, v;
  Image<std::uint16_t> truth;
  std::vector<AffineMotion> motions{{{0.5, 0.01, -0.004}, {-0.2, 0.004, 0.01}},
                                    {{3, 0, 0}, {1, 0, 0}},
                                    {{-2, 0.02, 0}, {-1, 0, 0.02}}};

  Layers(int width, int height, double noise)
      : u(width, height), v(width, height), truth(width, height) {
    Random random(3);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::size_t layer = 0;
        if (x >= width / 8 && x < width / 2 && y >= height / 4 && y < 3 * height / 4) layer = 1;
        if (std::hypot(x - 0.75 * width, y - 0.5 * height) < 0.3 * height) layer = 2;
        truth.at(x, y) = static_cast<std::uint16_t>(layer + 1);
        u.at(x, y) = static_cast<float>(motions[layer].u_at(x, y) + noise * random.normal());
        v.at(x, y) = static_cast<float>(motions[layer].v_at(x, y) + noise * random.normal());
      }
  }
  io::FlowFieldView view() const { return {u, v}; }
};

TEST(SegmentMotion, LayersAreFoundWithTheirMotions) {
  const Layers field(120, 80, 0.1);
  const MotionSegments found = segment_motion(field.view());
  ASSERT_EQ(found.regions.size(), 3U);
  EXPECT_EQ(found.layers, 3);
  const SegmentReport report = evaluate_segments(found.labels, field.truth);
  EXPECT_GT(report.covering, 0.97);
  EXPECT_GT(report.adjusted_rand_index, 0.97);
  for (const MotionRegion& region : found.regions) {
    // The truth of the pixel that the region has most of follows from its order by size.
    const int x = region.box.x + region.box.width / 2, y = region.box.y + region.box.height / 2;
    const std::size_t layer = region.label == 1 ? 0 : field.truth.at(x, y) - 1U;
    const AffineMotion& truth = field.motions[layer];
    EXPECT_NEAR(region.motion.u_at(x, y), truth.u_at(x, y), 0.1);
    EXPECT_NEAR(region.motion.v_at(x, y), truth.v_at(x, y), 0.1);
    EXPECT_NEAR(region.motion.u[1], truth.u[1], 0.005);
    EXPECT_LT(region.residual, 0.2);
  }
}

TEST(SegmentMotion, ThreadsDoNotChangeTheResultAndLayersAreLimited) {
  const Layers field(96, 64, 0.2);
  SegmentOptions options;
  options.exec.threads = 1;
  const MotionSegments one = segment_motion(field.view(), {}, {}, options);
  options.exec.threads = 3;
  const MotionSegments three = segment_motion(field.view(), {}, {}, options);
  EXPECT_TRUE(test::images_equal(one.labels, three.labels));
  options.layers = 2;
  EXPECT_LE(segment_motion(field.view(), {}, {}, options).layers, 2);
  options.layers = 1;
  EXPECT_EQ(segment_motion(field.view(), {}, {}, options).regions.size(), 1U);
}

TEST(SegmentMotion, UnknownPixelsHaveNoLabelAndOutliersGoWithTheirNeighbors) {
  Layers field(96, 64, 0.05);
  Image<float> confidence(96, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) confidence.at(x, y) = 1;
  for (int i = 0; i < 5; ++i) {
    field.u.at(3 + i, 3) = 40;  // wrong, and known to be so
    confidence.at(3 + i, 3) = 0;
  }
  field.u.at(90, 3) = std::numeric_limits<float>::quiet_NaN();
  const MotionSegments found = segment_motion(field.view(), confidence.view());
  EXPECT_EQ(found.labels.at(90, 3), 0);
  EXPECT_EQ(found.labels.at(5, 3), found.labels.at(5, 2));
}

TEST(SegmentMotion, SmallAndStillFieldsAreOneRegion) {
  for (const auto& [width, height] : {std::pair{1, 1}, std::pair{40, 3}, std::pair{30, 30}}) {
    Image<float> zero(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) zero.at(x, y) = 0;
    const MotionSegments found = segment_motion({zero, zero});
    ASSERT_EQ(found.regions.size(), 1U);
    EXPECT_EQ(found.regions[0].pixels, std::int64_t{width} * height);
    EXPECT_EQ(found.regions[0].u, 0);
    EXPECT_EQ(found.labels.at(0, 0), 1);
  }
  const Image<float> small(2, 2), large(3, 2);
  EXPECT_THAT(message_of([&] { segment_motion({small, large}); }), HasSubstr("3x2"));
}

TEST(KeepLabels, ARegionKeepsItsLabelAndNewOnesGetNew) {
  const Layers field(96, 64, 0);
  const MotionSegments first = segment_motion(field.view());
  MotionSegments again = segment_motion(field.view());
  // As if the order by size had changed.
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x)
      again.labels.at(x, y) = static_cast<std::uint16_t>(4 - again.labels.at(x, y));
  for (MotionRegion& region : again.regions) region.label = 4 - region.label;
  int next = 4;
  keep_labels(first, again, next);
  EXPECT_EQ(next, 4);
  int same = 0;
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) same += first.labels.at(x, y) == again.labels.at(x, y) ? 1 : 0;
  EXPECT_EQ(same, 96 * 64);
  MotionSegments other = segment_motion(field.view());
  keep_labels({Image<std::uint16_t>(), {}, 0}, other, next);
  std::set<int> labels;
  for (const MotionRegion& region : other.regions) labels.insert(region.label);
  EXPECT_EQ(labels, (std::set<int>{4, 5, 6}));
}

TEST(EvaluateSegments, IndicesAreThoseOfTheDefinitions) {
  Image<std::uint16_t> truth(4, 1), found(4, 1);
  for (int x = 0; x < 4; ++x) truth.at(x, 0) = x < 2 ? 1 : 2, found.at(x, 0) = x < 3 ? 7 : 8;
  const SegmentReport report = evaluate_segments(found, truth);
  // Of six pairs, {0, 1} is together in both, {0, 3} and {1, 3} are apart in both.
  EXPECT_DOUBLE_EQ(report.rand_index, 0.5);
  EXPECT_NEAR(report.adjusted_rand_index, 0, 1e-12);
  EXPECT_NEAR(report.covering, 0.5 * (2.0 / 3) + 0.5 * 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(evaluate_segments(truth, truth).covering, 1);
  EXPECT_DOUBLE_EQ(evaluate_segments(truth, truth).adjusted_rand_index, 1);
}

TEST(SegmentFit, SumsGiveTheMotionBackAndSetsAddUp) {
  const AffineMotion truth{{1, -2, 0.5}, {0.25, 3, -1}};
  segment::Moments left, right;
  Random random(8);
  for (int i = 0; i < 400; ++i) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    (x < 0 ? left : right).add(100, x, y, truth.u_at(x, y), truth.v_at(x, y));
  }
  EXPECT_LT(segment::distance_between(left, right), 1e-4);
  left += right;
  const segment::Fit fit = segment::fit_of(left);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(fit.motion.u[k], truth.u[k], 1e-4);
    EXPECT_NEAR(fit.motion.v[k], truth.v[k], 1e-4);
  }
}

TEST(SegmentRegions, SmallRegionsGoToTheLongestBorder) {
  Image<std::uint16_t> labels(9, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 9; ++x) labels.at(x, y) = x < 4 ? 0 : 1;
  labels.at(1, 1) = 2;
  labels.at(2, 1) = 3;  // beside another small one
  segment::absorb_small_regions(labels, 3);
  EXPECT_EQ(labels.at(1, 1), 0);
  EXPECT_EQ(labels.at(2, 1), 0);
  EXPECT_EQ(labels.at(5, 1), 1);
}

TEST(SegmentsPicture, RegionsHaveColorsAndBorders) {
  const Layers field(40, 30, 0);
  const Image<std::uint8_t> picture = segments_picture(field.truth.view());
  EXPECT_NE(picture.at(0, 0, 0) + 256 * picture.at(0, 0, 1),
            picture.at(10, 15, 0) + 256 * picture.at(10, 15, 1));
  EXPECT_EQ(picture.at(4, 15, 0), 0);  // the left border of the square
}

}  // namespace
}  // namespace fovea::flow
