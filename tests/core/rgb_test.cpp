#include "core/rgb.h"

#include <gtest/gtest.h>

namespace fovea::detail {
namespace {

TEST(Srgb, GoesThereAndBack) {
  for (int i = 0; i <= 255; ++i) {
    const double v = i / 255.0;
    EXPECT_NEAR(linear_to_srgb(srgb_to_linear(v)), v, 1e-6);
  }
}

TEST(Srgb, HasTheValuesOfTheStandard) {
  EXPECT_EQ(srgb_to_linear(0), 0);
  EXPECT_DOUBLE_EQ(srgb_to_linear(1), 1);
  EXPECT_NEAR(srgb_to_linear(0.5), 0.214041, 1e-6);
  EXPECT_NEAR(srgb_to_linear(10 / 255.0), 0.003035, 1e-6);  // on the straight part
  EXPECT_NEAR(linear_to_srgb(0.18), 0.461356, 1e-6);        // middle gray
}

TEST(Luma, RoundsTheWeightsOfBt601) {
  EXPECT_EQ(luma(255, 255, 255), 255);
  EXPECT_EQ(luma(255, 0, 0), 76);
  EXPECT_EQ(luma(0, 255, 0), 150);
  EXPECT_EQ(luma(65535, 65535, 65535), 65535);
}

}  // namespace
}  // namespace fovea::detail
