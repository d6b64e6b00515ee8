// Colors of the tables, and the line's loop against the scalar arithmetic.
#include "scenes/describe/lab.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reference/scenes.h"
#include "scenes/describe/bank.h"
#include "scenes/describe/lab_math.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

LabPixel lab_of_bytes(int r, int g, int b) {
  const auto& linear = linear_of_srgb();
  return lab_of(linear[static_cast<std::size_t>(r)], linear[static_cast<std::size_t>(g)],
                linear[static_cast<std::size_t>(b)]);
}

// As published with sRGB's primaries, to two places.
TEST(Lab, KnownColors) {
  const struct {
    int r, g, b;
    double lightness, a, blue;
  } known[] = {{255, 0, 0, 53.24, 80.09, 67.20},
               {0, 255, 0, 87.74, -86.18, 83.18},
               {0, 0, 255, 32.30, 79.19, -107.86},
               {255, 255, 255, 100, 0, 0},
               {0, 0, 0, 0, 0, 0},
               {128, 128, 128, 53.59, 0, 0},
               {255, 255, 0, 97.14, -21.55, 94.48},
               {10, 10, 10, 2.74, 0, 0}};
  for (const auto& k : known) {
    const LabPixel p = lab_of_bytes(k.r, k.g, k.b);
    const double unit = 100 / static_cast<double>(kLabUnits);
    EXPECT_NEAR(p.l * unit, k.lightness, 0.02);
    EXPECT_NEAR(p.a * unit, k.a, 0.02);
    EXPECT_NEAR(p.b * unit, k.blue, 0.02);
  }
}

TEST(Lab, GrayHasNoColor) {
  for (int i = 0; i < 256; ++i) {
    const LabPixel p = lab_of_bytes(i, i, i);
    EXPECT_EQ(p.a, 0);
    EXPECT_EQ(p.b, 0);
  }
}

TEST(Lab, IsWithinAUnitOfDoublePrecision) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const int r = static_cast<int>(random.below(256)), g = static_cast<int>(random.below(256));
    const int b = static_cast<int>(random.below(256));
    const LabPixel p = lab_of_bytes(r, g, b);
    const auto exact = reference::lab(r, g, b);
    EXPECT_NEAR(p.l, exact[0] * kLabUnits, 0.6);
    EXPECT_NEAR(p.a, exact[1] * kLabUnits, 0.6);
    EXPECT_NEAR(p.b, exact[2] * kLabUnits, 0.6);
  }
}

TEST(Lab, CubeRootsAreRightToTheLastBits) {
  for (double t = 0.0088; t < 1.1; t *= 1.0003) {
    const auto single = static_cast<float>(t);
    const double exact = std::cbrt(static_cast<double>(single));
    EXPECT_NEAR(lab_cube_root(single) / exact, 1, 3e-7);
  }
}

class LabLine : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(LabLine);

TEST_P(LabLine, IsTheArithmeticOfOnePixelAndRepeatsBorders) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "a loop of the CPU";
  Random random(2);
  for (const int channels : {1, 3}) {
    const auto image = test::random_image<std::uint8_t>(random, 77, 3, channels);
    for (const auto& [left, count] : {std::array{-15, 107}, {3, 5}, {60, 40}, {-2, 3}, {76, 9}}) {
      std::vector<float> l(count), a(count), b(count);
      float* const to[3] = {l.data(), a.data(), b.data()};
      cpu::pixel_line(image, Color::kLab, {5, left, count}, to);  // line 5 of 3 is the last
      for (int i = 0; i < count; ++i) {
        const std::uint8_t* p = &image.at(std::clamp(left + i, 0, 76), 2);
        const LabPixel expected = lab_of_bytes(p[0], p[channels / 2], p[channels - 1]);
        ASSERT_EQ(l[static_cast<std::size_t>(i)], expected.l);
        ASSERT_EQ(a[static_cast<std::size_t>(i)], expected.a);
        ASSERT_EQ(b[static_cast<std::size_t>(i)], expected.b);
      }
    }
  }
}

}  // namespace
}  // namespace fovea::scenes
