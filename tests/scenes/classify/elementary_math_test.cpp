// Covers: kernel_map_math
#include "scenes/classify/elementary_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea::scenes {
namespace {

TEST(ElementaryMath, LogarithmIsThatOfTheLibrary) {
  for (double x = 1e-45; x < 1e38; x *= 1.37)
    EXPECT_NEAR(log_of(x), std::log(x), 4e-16 * std::abs(std::log(x)) + 2e-16) << x;
  EXPECT_EQ(log_of(1), 0);
  EXPECT_DOUBLE_EQ(log_of(2), std::log(2.0));
  EXPECT_DOUBLE_EQ(log_of(std::sqrt(0.5)), std::log(std::sqrt(0.5)));
}

TEST(ElementaryMath, SineAndCosineAreThoseOfTheLibrary) {
  for (double angle = -80; angle < 80; angle += 0.0371) {
    const SinCos found = sin_cos_of(angle);
    EXPECT_NEAR(found.sin, std::sin(angle), 3e-16) << angle;
    EXPECT_NEAR(found.cos, std::cos(angle), 3e-16) << angle;
  }
  EXPECT_EQ(sin_cos_of(0).sin, 0);
  EXPECT_EQ(sin_cos_of(0).cos, 1);
}

}  // namespace
}  // namespace fovea::scenes
