// Covers: threshold, region_boxes, region_rle
#include <fovea/core/error.h>
#include <fovea/emd/regions.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/images.h"

namespace fovea::emd {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

void fill(ImageView<float> map, const Rect<int>& box, float value) {
  for (int y = box.y; y < box.bottom(); ++y)
    for (int x = box.x; x < box.right(); ++x) map.at(x, y) = value;
}

// A background of 5 with two places of small distances: one of 8x6 whose best pixel has 0.25, and
// one of 4x4, and a single pixel.
Image<float> two_places() {
  Image<float> map(60, 40);
  fill(map, {0, 0, 60, 40}, 5);
  fill(map, {10, 8, 8, 6}, 1);
  map.at(13, 10) = 0.25F;
  fill(map, {40, 30, 4, 4}, 2);
  map.at(55, 5) = 0;
  return map;
}

TEST(EmdRegions, FindsPixelsThatTouchWithTheirPeak) {
  const Image<float> map = two_places();
  const RegionSet found = find_regions(map, {.threshold = 2.5, .least_area = 4}, {{}, {8, 6}});
  ASSERT_EQ(found.regions.size(), 2U);
  const Region& best = found.regions[0];
  EXPECT_EQ(best.box, (Rect<int>{10, 8, 8, 6}));
  EXPECT_EQ(best.area, 48);
  EXPECT_EQ(best.peak.x, 13);
  EXPECT_EQ(best.peak.y, 10);
  EXPECT_EQ(best.distance, 0.25F);
  EXPECT_NEAR(best.mean_distance, 47.25 / 48, 1e-12);
  EXPECT_NEAR(best.score, (48 - 47.25 / 2.5) / 48, 1e-12);
  EXPECT_NEAR(found.regions[1].score, 16 * 0.2 / 48, 1e-12);
  EXPECT_EQ(found.labels.at(10, 8), 1);
  EXPECT_EQ(found.labels.at(43, 33), 2);
  EXPECT_EQ(found.labels.at(55, 5), 0) << "smaller than the least area";
  EXPECT_EQ(region_mask(found).at(43, 33), 255);
  EXPECT_EQ(find_regions(map, {.threshold = 2.5, .least_area = 1}).regions.size(), 3U);
  EXPECT_EQ(find_regions(map, {.threshold = 2.5, .least_area = 1, .most = 1}).regions.size(), 1U);
}

TEST(EmdRegions, CornersConnectAndNanSeparates) {
  Image<float> map(7, 3);
  fill(map, {0, 0, 7, 3}, 9);
  map.at(0, 0) = map.at(1, 1) = map.at(2, 2) = 1;
  map.at(4, 1) = map.at(6, 1) = 1;
  map.at(5, 1) = kNaN;
  const RegionSet found = find_regions(map, {.threshold = 1.0, .least_area = 1});
  ASSERT_EQ(found.regions.size(), 3U);
  EXPECT_EQ(found.regions[0].area, 3);
  EXPECT_EQ(found.labels.at(5, 1), 0);
}

TEST(EmdRegions, BoxesOfTheTargetsSizeDoNotOverlapMuch) {
  const Image<float> map = two_places();
  const RegionOptions options{.kind = RegionKind::kBoxes, .threshold = 2.5};
  const RegionSet found = find_regions(map, options, {{}, {8, 6}});
  ASSERT_EQ(found.regions.size(), 1U) << "half of the other box is background";
  EXPECT_EQ(found.regions[0].box, (Rect<int>{10, 8, 8, 6}));
  EXPECT_EQ(found.regions[0].distance, 0.25F);
  const RegionSet small = find_regions(
      map, {.kind = RegionKind::kBoxes, .threshold = 2.0, .width = 4, .height = 4, .overlap = 0});
  for (std::size_t i = 0; i < small.regions.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      EXPECT_EQ(intersection_area(small.regions[i].box, small.regions[k].box), 0);
  EXPECT_EQ(small.regions.size(), 2U);
  EXPECT_THROW(find_regions(map, options), InvalidArgument);
  EXPECT_TRUE(find_regions(map, options, {{}, {61, 6}}).regions.empty()) << "wider than the map";
}

TEST(EmdRegions, ThresholdsSeparateTheTarget) {
  const Image<float> map = two_places();
  const Rect<int> box{10, 8, 8, 6};
  EXPECT_EQ(choose_threshold(map, {}, {box, {}}), 1);
  const double otsu = choose_threshold(map, {.rule = ThresholdRule::kOtsu});
  EXPECT_GT(otsu, 2);
  EXPECT_LT(otsu, 5);
  EXPECT_EQ(choose_threshold(map), otsu) << "without a box";
  // Distances 0 to 99 have the median 50 and the deviation 1.4826 * 25.
  Image<float> ramp(100, 1);
  for (int x = 0; x < 100; ++x) ramp.at(x, 0) = static_cast<float>(x + 100);
  EXPECT_NEAR(choose_threshold(ramp, {.rule = ThresholdRule::kOutlier}), 150 - 3 * 1.4826 * 25,
              1e-4);
  const RegionSet found = find_regions(map, {}, {box, {8, 6}});
  EXPECT_EQ(found.threshold, 1);
  EXPECT_EQ(found.regions.size(), 1U);
  const RegionSet boxes = find_regions(map, {.kind = RegionKind::kBoxes}, {box, {8, 6}});
  ASSERT_EQ(boxes.regions.size(), 1U);
  EXPECT_EQ(boxes.regions[0].box, box);
}

TEST(EmdRegions, MapsWithoutDistancesHaveNoRegions) {
  Image<float> map(5, 4);
  fill(map, {0, 0, 5, 4}, kNaN);
  for (const auto rule : {ThresholdRule::kTarget, ThresholdRule::kOtsu, ThresholdRule::kOutlier}) {
    const RegionSet found = find_regions(map, {.rule = rule}, {Rect<int>{0, 0, 2, 2}, {2, 2}});
    EXPECT_TRUE(std::isnan(found.threshold));
    EXPECT_TRUE(found.regions.empty());
  }
  EXPECT_TRUE(find_regions(map, {.threshold = 3.0}).regions.empty());
  fill(map, {0, 0, 5, 4}, 2);
  EXPECT_TRUE(find_regions(map, {.threshold = 1.0}).regions.empty());
  const RegionSet all = find_regions(map, {.rule = ThresholdRule::kOtsu});
  ASSERT_EQ(all.regions.size(), 1U);
  EXPECT_EQ(all.regions[0].score, 0) << "the threshold is the only distance";
}

TEST(EmdRegions, RefusesOptionsOutOfRangeAndBoxesOutside) {
  const Image<float> map = two_places();
  EXPECT_THROW(find_regions(map, {.threshold = -1.0}), InvalidArgument);
  EXPECT_THROW(find_regions(map, {.threshold = std::nan("")}), InvalidArgument);
  EXPECT_THROW(find_regions(map, {.least_area = 0}), InvalidArgument);
  EXPECT_THROW(find_regions(map, {.overlap = 1.5}), InvalidArgument);
  EXPECT_THROW(find_regions(map, {}, {Rect<int>{55, 0, 6, 4}, {}}), InvalidArgument);
}

// The numbers of a text of run lengths.
std::vector<long> runs_in(const std::string& text) {
  std::vector<long> runs;
  for (std::size_t i = 0; i < text.size();) {
    long value = 0;
    int shift = 0;
    for (bool more = true; more; shift += 5) {
      const int bits = text[i++] - 48;
      value |= static_cast<long>(bits & 31) << shift;
      more = (bits & 32) != 0;
      if (!more && (bits & 16) != 0) value |= -1L << (shift + 5);
    }
    runs.push_back(runs.size() > 2 ? value + runs[runs.size() - 2] : value);
  }
  return runs;
}

TEST(EmdRegions, RunLengthsCoverTheRegionColumnByColumn) {
  Random random(4);
  Image<float> map(23, 17);
  for (int y = 0; y < 17; ++y)
    for (int x = 0; x < 23; ++x) map.at(x, y) = static_cast<float>(random.below(3));
  // Whole columns and the last pixel are runs that go on or end the image.
  fill(map, {5, 0, 3, 17}, 0);
  fill(map, {20, 0, 3, 17}, 0);
  const RegionSet found = find_regions(map, {.threshold = 0.0, .least_area = 1, .most = 1000});
  ASSERT_GE(found.regions.size(), 2U);
  for (std::size_t i = 0; i < found.regions.size(); ++i) {
    Image<std::uint16_t> drawn(23, 17);
    long place = 0;
    bool inside = false;
    for (const long run : runs_in(region_rle(found, i))) {
      for (long end = place + run; place < end; ++place)
        drawn.at(static_cast<int>(place / 17), static_cast<int>(place % 17)) = inside ? 1 : 0;
      inside = !inside;
    }
    EXPECT_EQ(place, 23 * 17);
    for (int y = 0; y < 17; ++y)
      for (int x = 0; x < 23; ++x) ASSERT_EQ(drawn.at(x, y), found.labels.at(x, y) == i + 1);
  }
  EXPECT_THROW(region_rle(found, found.regions.size()), InvalidArgument);
}

// pycocotools encodes a mask of 3 rows and 4 columns whose pixels (1, 0), (1, 1) and (2, 2) are set
// as the counts 3, 2, 3, 1, 3: "3" "2" "3" and the differences -1 and 0.
TEST(EmdRegions, RunLengthsAreThoseOfCoco) {
  Image<float> map(4, 3);
  fill(map, {0, 0, 4, 3}, 1);
  map.at(1, 0) = map.at(1, 1) = map.at(2, 2) = 0;
  const RegionSet found = find_regions(map, {.threshold = 0.0, .least_area = 1});
  ASSERT_EQ(found.regions.size(), 1U);
  EXPECT_EQ(region_rle(found, 0), "323O0");
}

}  // namespace
}  // namespace fovea::emd
