// Descriptors: layout by pictures whose gradients and motion are known, votes against the plain
// loop, and points given from outside.
#include <fovea/actions/points.h>
#include <fovea/core/error.h>
#include <gtest/gtest.h>

#include "actions/clips.h"
#include "actions/points/descriptor_math.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

class Descriptors : public test::OnEveryPlace {
 protected:
  Exec exec() const {
    Exec exec;
    exec.device = device();
    return exec;
  }
};
FOVEA_ON_EVERY_PLACE(Descriptors);

constexpr test::ClipSize kSize{96, 80, 24};

Image<float> at_middle(const test::Clip& clip, const PointOptions& options, const Exec& exec) {
  SpaceTimePoint point;
  point.x = 48;
  point.y = 40;
  point.frame = 12;
  point.sigma2 = 4;
  point.tau2 = 2;
  return describe_points(test::views_of(clip), {&point, 1}, points_on(options, exec));
}

TEST_P(Descriptors, DirectionsOfGradients) {
  const double pi = std::acos(-1.0);
  for (int bin = 0; bin < kHogBins; ++bin) {
    const double angle = bin * pi / 4;
    const auto clip = test::drawn_clip(kSize, [&](int x, int y, int) {
      return 128 + 100 * std::sin(0.3 * (std::cos(angle) * x + std::sin(angle) * y));
    });
    const Image<float> row = at_middle(clip, {}, exec());
    for (int cell = 0; cell < kCells; ++cell)
      EXPECT_GT(row.at(cell * kHogBins + bin, 0), 0.97F) << bin << " " << cell;
  }
}

TEST_P(Descriptors, QuadrantsOfMotion) {
  const double us[] = {1.5, -1.5, -1.5, 1.5}, vs[] = {1.5, 1.5, -1.5, -1.5};
  for (int bin = 0; bin < kHofBins; ++bin) {
    const double u = bin == 0 ? 0 : us[bin - 1], v = bin == 0 ? 0 : vs[bin - 1];
    const auto clip = test::drawn_clip(kSize, [&](int x, int y, int t) {
      const double a = x - u * t, b = y - v * t;
      return 128 + 50 * std::sin(0.45 * a) * std::cos(0.35 * b) +
             40 * std::sin(0.23 * a + 0.31 * b);
    });
    const Image<float> row = at_middle(clip, {}, exec());
    for (int cell = 0; cell < kCells; ++cell)
      EXPECT_GT(row.at(kHogSize + cell * kHofBins + bin, 0), 0.9F) << bin << " " << cell;
  }
}

// A cell that alone has slanted stripes stands where the layout says.
TEST_P(Descriptors, CellsRunOverXThenYThenTime) {
  for (int cx = 0; cx < 3; ++cx)
    for (int cy = 0; cy < 3; ++cy) {
      const auto clip = test::drawn_clip(kSize, [&](int x, int y, int) {
        const bool inside =
            (x - 48 + 18) / 12 == cx && (y - 40 + 18) / 12 == cy && x >= 30 && y >= 22;
        return 128 + 90 * std::sin(0.6 * (inside ? x + y : x));
      });
      const Image<float> row = at_middle(clip, {}, exec());
      int most = 0;
      for (int cell = 0; cell < kCells; ++cell)
        if (row.at(cell * kHogBins + 1, 0) > row.at(most * kHogBins + 1, 0)) most = cell;
      EXPECT_EQ(most / kCellsTime, cx * 3 + cy);
    }
}

TEST_P(Descriptors, CellsSumToOne) {
  const test::Clip clip = test::busy_clip({90, 70, 30}, 31);
  for (const FlowVotes votes : {FlowVotes::kCount, FlowVotes::kMagnitude}) {
    PointOptions options;
    options.votes = votes;
    const PointSet set = find_points(test::views_of(clip), points_on(options, exec()));
    ASSERT_GT(set.points.size(), 3U);
    for (int i = 0; i < set.descriptors.height(); ++i)
      for (int cell = 0; cell < kCells; ++cell) {
        float hog = 0, hof = 0;
        for (int b = 0; b < kHogBins; ++b) hog += set.descriptors.at(cell * kHogBins + b, i);
        for (int b = 0; b < kHofBins; ++b)
          hof += set.descriptors.at(kHogSize + cell * kHofBins + b, i);
        EXPECT_NEAR(hog, 1, 1e-5);
        EXPECT_NEAR(hof, 1, 1e-5);
      }
  }
}

TEST_P(Descriptors, PointsFromOutsideAreDescribedAsOurs) {
  const test::Clip clip = test::busy_clip({90, 70, 40}, 37);
  const PointSet set = find_points(test::views_of(clip), points_on({}, exec()));
  ASSERT_GT(set.points.size(), 10U);
  // Gradients here have another length, which cells do not keep.
  EXPECT_TRUE(test::images_equal(
      set.descriptors, describe_points(test::views_of(clip), set.points, points_on({}, exec())),
      1e-5));
}

TEST(DescriptorTest, PointsOutsideAreNamed) {
  const test::Clip clip = test::busy_clip({40, 30, 3}, 41);
  SpaceTimePoint point;
  point.sigma2 = point.tau2 = 4;
  point.frame = 3;
  EXPECT_THROW(describe_points(test::views_of(clip), {&point, 1}), InvalidArgument);
  point.frame = 0;
  point.x = 40;
  EXPECT_THROW(describe_points(test::views_of(clip), {&point, 1}), InvalidArgument);
  point.x = 0;
  point.tau2 = 0;
  EXPECT_THROW(describe_points(test::views_of(clip), {&point, 1}), InvalidArgument);
  EXPECT_TRUE(describe_points({}, {}).empty());
}

TEST(DescriptorTest, BinsByAngle) {
  const double pi = std::acos(-1.0);
  for (int degrees = 1; degrees < 360; ++degrees) {
    if ((degrees - 22) % 45 == 0 || (degrees - 23) % 45 == 0) continue;
    const double angle = degrees * pi / 180;
    EXPECT_EQ(
        gradient_bin(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))),
        std::lround(degrees / 45.0) % 4)
        << degrees;
  }
  EXPECT_EQ(flow_bin(0.1F, 0.1F, 0.16F), 0);
  EXPECT_EQ(flow_bin(1, 1, 0.16F), 1);
  EXPECT_EQ(flow_bin(-1, 1, 0.16F), 2);
  EXPECT_EQ(flow_bin(-1, -1, 0.16F), 3);
  EXPECT_EQ(flow_bin(1, -1, 0.16F), 4);
}

TEST(DescriptorTest, ACellWithoutVotesIsUniform) {
  float bins[4] = {};
  normalize_cell(bins, 4);
  for (const float bin : bins) EXPECT_EQ(bin, 0.25F);
}

}  // namespace
}  // namespace fovea::actions
