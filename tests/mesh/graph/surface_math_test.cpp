#include "mesh/graph/surface_math.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

namespace fovea::mesh {
namespace {

TEST(SurfaceMath, AnglesAreThoseOfTheLibrary) {
  for (int i = 0; i <= 1000; ++i) {
    const double t = i / 1000.0;
    EXPECT_NEAR(arc_tangent(t), std::atan(t), 1e-9);
    const auto angle = static_cast<float>(t * std::numbers::pi);
    EXPECT_NEAR(one_minus_cosine(angle), 1 - std::cos(static_cast<double>(angle)), 1e-9);
  }
  EXPECT_NEAR(one_minus_cosine(1e-4F) / 5e-9, 1, 1e-6);
}

TEST(SurfaceMath, BendsAreTold) {
  for (int i = 0; i <= 180; ++i) {
    const double angle = i * std::numbers::pi / 180;
    const Direction a{0, 0, 1};
    const Direction b{static_cast<float>(std::sin(angle)), 0, static_cast<float>(std::cos(angle))};
    EXPECT_NEAR(bend_between(a, b, {1, 0, 0}).angle, angle, 1e-6);
    if (i == 0 || i == 180) continue;
    EXPECT_FALSE(bend_between(a, b, {1, 0, 0}).concave);
    EXPECT_TRUE(bend_between(a, b, {-1, 0, 0}).concave);
  }
}

TEST(SurfaceMath, EveryStepLeadsFarther) {
  EXPECT_EQ(path_step(1, 2), 3);
  EXPECT_GT(path_step(1e6F, 1e-5F), 1e6F);
  EXPECT_GT(path_step(0, 0), 0);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(path_step(1, infinity), infinity);
  EXPECT_FALSE(path_step(infinity, 1) <= infinity);
}

}  // namespace
}  // namespace fovea::mesh
