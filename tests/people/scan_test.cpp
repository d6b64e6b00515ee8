// Covers: window_hits
#include <fovea/core/error.h>
#include <fovea/people/scan.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::people {
namespace {

constexpr Extent kWindow{64, 128};
constexpr double kPerson = 104.0 / 128;

TEST(Scan, TheFirstLevelIsTheImage) {
  const ScanPlan plan = plan_scan({640, 480}, kWindow, kPerson, {.padding = 0});
  ASSERT_FALSE(plan.levels.empty());
  EXPECT_EQ(plan.levels[0].size, (Extent{640, 480}));
  EXPECT_EQ(plan.levels[0].columns, (640 - 64) / 8 + 1);
  EXPECT_EQ(plan.levels[0].rows, (480 - 128) / 8 + 1);
  EXPECT_EQ(plan.levels[0].scale_x, 1);
}

TEST(Scan, LevelsShrinkByTheRatioAndEndWithTheWindow) {
  const ScanPlan plan = plan_scan({640, 480}, kWindow, kPerson, {.ratio = 1.2, .padding = 0});
  for (std::size_t k = 0; k < plan.levels.size(); ++k) {
    EXPECT_EQ(plan.levels[k].size.width, static_cast<int>(std::floor(640 / std::pow(1.2, k) + .5)));
    EXPECT_NEAR(plan.levels[k].scale_y, std::pow(1.2, k), 0.01 * std::pow(1.2, k));
    EXPECT_GE(plan.levels[k].size.height, 128);
  }
  EXPECT_LT(std::lround(plan.levels.back().size.height / 1.2), 128);
}

TEST(Scan, PaddedLevelsGoOnBelowTheWindow) {
  const ScanPlan plan = plan_scan({200, 200}, kWindow, kPerson, {.padding = 24});
  EXPECT_LT(plan.levels.back().size.height, 128);
  EXPECT_GE(plan.padded(plan.levels.back()).height, 128);
}

TEST(Scan, EnlargingFindsSmallerPeople) {
  const ScanPlan plan = plan_scan({100, 100}, kWindow, kPerson, {.enlarge = 2, .padding = 0});
  ASSERT_FALSE(plan.levels.empty());
  EXPECT_EQ(plan.levels[0].size, (Extent{200, 200}));
  EXPECT_EQ(plan.levels[0].scale_x, 0.5);
}

TEST(Scan, HeightsAreLimited) {
  const ScanPlan plan =
      plan_scan({1280, 960}, kWindow, kPerson, {.min_height = 200, .max_height = 400});
  ASSERT_FALSE(plan.levels.empty());
  for (const ScanLevel& level : plan.levels) {
    EXPECT_GE(104 * level.scale_y, 198);
    EXPECT_LE(104 * level.scale_y, 402);
  }
}

// A person whose feet are f below the horizon is f * height / camera_height high.
TEST(Scan, AHorizonLeavesTheRowsWherePeopleStand) {
  const ScanOptions everywhere{.ratio = 1.2};
  ScanOptions ground = everywhere;
  ground.horizon = 200;
  ground.camera_height = 4;
  ground.person_heights = {1.5, 1.9};
  const ScanPlan all = plan_scan({1280, 960}, kWindow, kPerson, everywhere),
                 some = plan_scan({1280, 960}, kWindow, kPerson, ground);
  std::size_t found = 0;
  int windows = 0;
  for (const ScanLevel& level : all.levels) {
    const double height = 104 * level.scale_y;
    const ScanLevel* restricted = nullptr;
    for (const ScanLevel& each : some.levels)
      if (each.size == level.size) restricted = &each;
    int standing = 0;
    for (int row = 0; row < level.rows; ++row) {
      const double feet = (row * 8 - 24 + 116) * level.scale_y - 200;
      if (height * 4 / 1.9 > feet || height * 4 / 1.5 < feet) continue;
      ++standing;
      ASSERT_NE(restricted, nullptr);
      EXPECT_GE(row, restricted->first_row);
      EXPECT_LT(row, restricted->first_row + restricted->rows);
    }
    if (!restricted) continue;
    ++found;
    windows += restricted->rows;
    EXPECT_LE(restricted->rows, standing + 2);
    EXPECT_EQ(some.top(*restricted), 8 * restricted->first_row);
  }
  EXPECT_EQ(found, some.levels.size());
  EXPECT_GT(windows, 0);
  ground.horizon = 2000;  // everybody stands below the image
  EXPECT_TRUE(plan_scan({1280, 960}, kWindow, kPerson, ground).levels.empty());
  ground.person_heights = {2, 1};
  EXPECT_THROW(plan_scan({1280, 960}, kWindow, kPerson, ground), InvalidArgument);
}

TEST(Scan, NothingFitsASmallImage) {
  EXPECT_TRUE(plan_scan({63, 500}, kWindow, kPerson, {.padding = 0}).levels.empty());
  EXPECT_TRUE(plan_scan({0, 500}, kWindow, kPerson, {}).levels.empty());
  EXPECT_THROW(plan_scan({640, 480}, {0, 128}, kPerson, {}), InvalidArgument);
  EXPECT_THROW(plan_scan({640, 480}, kWindow, kPerson, {.ratio = 1}), InvalidArgument);
}

TEST(Scan, ACropHoldsOneWindowInItsMiddle) {
  const ScanPlan plan = plan_crop({70, 134}, kWindow);
  EXPECT_EQ(plan.origin, 3);
  ASSERT_EQ(plan.levels.size(), 1U);
  EXPECT_EQ(plan.levels[0].columns * plan.levels[0].rows, 1);
  EXPECT_THROW(plan_crop({64, 127}, kWindow), InvalidArgument);
  EXPECT_THROW(plan_crop({80, 128}, kWindow), InvalidArgument);
}

}  // namespace
}  // namespace fovea::people
