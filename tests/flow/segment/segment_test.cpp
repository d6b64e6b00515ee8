// Covers: segment_fit, segment_gather, segment_label, segment_regions, segment_evaluate
#include <fovea/core/error.h>
#include <fovea/flow/segment.h>

#include <gmock/gmock.h>

#include <algorithm>
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
  std::vector<AffineMotion> motions{
      {{0.5, 0.01, -0.004, -0.2, 0.004, 0.01}}, {{3, 0, 0, 1, 0, 0}}, {{-2, 0.02, 0, -1, 0, 0.02}}};

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
    EXPECT_NEAR(region.motion.terms[1], truth.terms[1], 0.005);
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

// Every region has the pixels, the share and the box of its label.
void expect_regions_of_labels(const MotionSegments& found) {
  std::set<int> seen;
  for (int y = 0; y < found.labels.height(); ++y)
    for (int x = 0; x < found.labels.width(); ++x) seen.insert(found.labels.at(x, y));
  seen.erase(0);
  EXPECT_EQ(seen.size(), found.regions.size());
  const double all = static_cast<double>(found.labels.width()) * found.labels.height();
  for (const MotionRegion& region : found.regions) {
    std::int64_t pixels = 0;
    int left = found.labels.width(), top = found.labels.height(), right = 0, bottom = 0;
    for (int y = 0; y < found.labels.height(); ++y)
      for (int x = 0; x < found.labels.width(); ++x) {
        if (found.labels.at(x, y) != region.label) continue;
        ++pixels;
        left = std::min(left, x);
        top = std::min(top, y);
        right = std::max(right, x + 1);
        bottom = std::max(bottom, y + 1);
      }
    EXPECT_EQ(region.pixels, pixels) << region.label;
    EXPECT_DOUBLE_EQ(region.share, static_cast<double>(pixels) / all) << region.label;
    EXPECT_EQ(region.box.x, left) << region.label;
    EXPECT_EQ(region.box.y, top) << region.label;
    EXPECT_EQ(region.box.width, right - left) << region.label;
    EXPECT_EQ(region.box.height, bottom - top) << region.label;
    EXPECT_TRUE(std::isfinite(region.u) && std::isfinite(region.v)) << region.label;
  }
}

TEST(SegmentMotion, RegionsCountAndEncloseKnownPixelsAlone) {
  Layers field(96, 64, 0.05);
  expect_regions_of_labels(segment_motion(field.view()));
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x)
      if (x < 40 || y < 5) field.u.at(x, y) = std::numeric_limits<float>::quiet_NaN();
  const MotionSegments found = segment_motion(field.view());
  EXPECT_GE(found.regions.size(), 2U);
  expect_regions_of_labels(found);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) field.u.at(x, y) = std::numeric_limits<float>::quiet_NaN();
  const MotionSegments nothing = segment_motion(field.view());
  EXPECT_TRUE(nothing.regions.empty());
  EXPECT_EQ(nothing.layers, 0);
  expect_regions_of_labels(nothing);
}

// Tiles of 8x8 that move each by itself: more odd patches than motions are compared.
TEST(SegmentMotion, ManyOddPatchesAreFewMotions) {
  Image<float> u(192, 128), v(192, 128);
  Random random(4);
  std::vector<float> across, down;
  for (int i = 0; i < 24 * 16; ++i) {
    across.push_back(static_cast<float>(random.uniform(-9, 9)));
    down.push_back(static_cast<float>(random.uniform(-9, 9)));
  }
  for (int y = 0; y < 128; ++y)
    for (int x = 0; x < 192; ++x) {
      const auto tile = static_cast<std::size_t>(y / 8 * 24 + x / 8);
      u.at(x, y) = across[tile];
      v.at(x, y) = down[tile];
    }
  SegmentOptions options;
  options.cell = 4;
  options.least_share = 0;
  options.tolerance = 0.05;
  options.rounds = 2;
  const MotionSegments found = segment_motion({u, v}, {}, {}, options);
  EXPECT_LE(found.layers, 64);
  expect_regions_of_labels(found);
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

TEST(LabelKeeper, TheFirstFrameKeepsItsLabelsAndOthersFollow) {
  const Layers field(96, 64, 0);
  LabelKeeper keeper;
  MotionSegments first = segment_motion(field.view());
  const Image<std::uint16_t> labels = clone(first.labels.view());
  keeper.label(first);
  EXPECT_TRUE(test::images_equal(first.labels, labels));
  MotionSegments again = segment_motion(field.view());
  keeper.label(again);
  EXPECT_TRUE(test::images_equal(again.labels, labels));
  // After a frame of which nothing is known, labels are new.
  MotionSegments nothing;
  nothing.labels = Image<std::uint16_t>(96, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 96; ++x) nothing.labels.at(x, y) = 0;
  keeper.label(nothing);
  MotionSegments later = segment_motion(field.view());
  keeper.label(later);
  EXPECT_EQ(later.regions[0].label, 4);
}

TEST(SegmentPair, OptionsReachTheEstimatorAndTheDivision) {
  SegmentPairOptions options;
  options.method = Method::kBlockMatching;
  options.quality = Quality::kBest;
  options.segment.cell = 20;
  options.exec = {.device = {DeviceKind::kCuda, 0}, .threads = 3};
  const FlowOptions estimation = estimation_options(options);
  EXPECT_EQ(estimation.method, Method::kBlockMatching);
  EXPECT_EQ(estimation.quality, Quality::kBest);
  EXPECT_TRUE(estimation.lk.forward_backward);
  EXPECT_TRUE(estimation.bm.forward_backward);
  EXPECT_EQ(estimation.exec.device.kind, DeviceKind::kCuda);
  const SegmentOptions division = division_options(options);
  EXPECT_EQ(division.cell, 20);
  EXPECT_EQ(division.exec.threads, 3);
  EXPECT_EQ(division.exec.device.kind, DeviceKind::kCpu);
}

// As the textbook merges: all pairs are compared anew after every merge.
std::vector<segment::Moments> merged_slowly(std::vector<segment::Moments> motions, double near) {
  for (;;) {
    std::size_t first = 0, second = 0;
    double least = near;
    for (std::size_t i = 0; i < motions.size(); ++i)
      for (std::size_t j = i + 1; j < motions.size(); ++j)
        if (const double d = segment::distance_between(motions[i], motions[j]); d < least) {
          least = d;
          first = i;
          second = j;
        }
    if (second == 0) return motions;
    motions[first] += motions[second];
    motions.erase(motions.begin() + static_cast<std::ptrdiff_t>(second));
  }
}

TEST(SegmentFit, MergingIsThatOfTheTextbook) {
  Random random(6);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<segment::Moments> motions(2 + random.below(30));
    for (segment::Moments& each : motions) {
      const double u = random.uniform(0, 3), v = random.uniform(0, 3);
      for (int i = 0; i < 5; ++i) each.add(1, random.uniform(-1, 1), random.uniform(-1, 1), u, v);
    }
    SegmentOptions options;
    options.tolerance = 0.8;
    std::vector<segment::Moments> expected = merged_slowly(motions, 0.8 * 0.8);
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return a.n > b.n; });
    segment::merge_motions(motions, options);
    ASSERT_EQ(motions.size(), expected.size()) << trial;
    for (std::size_t i = 0; i < motions.size(); ++i)
      EXPECT_EQ(motions[i].squares, expected[i].squares) << trial;
  }
}

TEST(SegmentFit, OnlyTheLargestOfTooManyMotionsAreAdded) {
  std::vector<segment::Moments> motions(segment::kMostMotions - 2), more(5);
  for (std::size_t i = 0; i < more.size(); ++i) more[i].n = i == 1 || i == 3 ? 9 : 1;
  segment::add_motions(motions, more);
  ASSERT_EQ(motions.size(), segment::kMostMotions);
  EXPECT_EQ(motions.back().n, 9);
  EXPECT_EQ(motions[motions.size() - 2].n, 9);
  segment::add_motions(motions, more);
  EXPECT_EQ(motions.size(), segment::kMostMotions);
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
  const AffineMotion truth{{1, -2, 0.5, 0.25, 3, -1}};
  segment::Moments left, right;
  Random random(8);
  for (int i = 0; i < 400; ++i) {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    (x < 0 ? left : right).add(100, x, y, truth.u_at(x, y), truth.v_at(x, y));
  }
  EXPECT_LT(segment::distance_between(left, right), 1e-4);
  left += right;
  const segment::Fit fit = segment::fit_of(left);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(fit.motion.terms[k], truth.terms[k], 1e-4);
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
