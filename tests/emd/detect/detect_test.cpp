#include <fovea/core/error.h>
#include <fovea/emd/detect.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "support/files.h"

namespace fovea::emd {
namespace {

using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Pixels of a row, each with its spectrum.
Stack<float> cube_of(const std::vector<std::vector<float>>& pixels) {
  Stack<float> cube(static_cast<int>(pixels.size()), 1, static_cast<int>(pixels[0].size()));
  for (int x = 0; x < cube.width(); ++x)
    for (int b = 0; b < cube.count(); ++b)
      cube.plane(b).at(x, 0) = pixels[static_cast<std::size_t>(x)][static_cast<std::size_t>(b)];
  return cube;
}

TEST(Detect, AnglesInClosedForm) {
  const Stack<float> cube =
      cube_of({{3, 0}, {5, 5}, {0, 2}, {-1, 0}, {0, 0}, {kNan, 1}, {1, std::sqrt(3.0F)}});
  const Image<float> map = spectral_angle(cube, std::vector<float>{2, 0});
  const double pi = std::numbers::pi;
  const std::vector<double> wanted{0, pi / 4, pi / 2, pi, pi / 2, pi, pi / 3};
  for (int x = 0; x < map.width(); ++x)
    EXPECT_NEAR(map.at(x, 0), wanted[static_cast<std::size_t>(x)], 1e-6) << x;
}

TEST(Detect, DifferencesInClosedForm) {
  const Stack<float> cube = cube_of({{3, 0}, {5, -5}, {2, 1}, {kNan, 1}});
  const Image<float> map = sum_of_differences(cube, std::vector<float>{2, 1});
  EXPECT_EQ(map.at(0, 0), 2);
  EXPECT_EQ(map.at(1, 0), 9);
  EXPECT_EQ(map.at(2, 0), 0);
  EXPECT_EQ(map.at(3, 0), std::numeric_limits<float>::infinity());
}

TEST(Detect, MeansOfBoxesAndMasks) {
  Stack<float> cube(4, 3, 2);
  for (int b = 0; b < 2; ++b)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) cube.plane(b).at(x, y) = static_cast<float>(x + 10 * y + 100 * b);
  EXPECT_THAT(mean_spectrum(cube, Rect<int>{1, 1, 2, 2}), ElementsAre(16.5F, 116.5F));
  EXPECT_THAT(mean_spectrum(cube, Rect<int>{3, 2, 1, 1}), ElementsAre(23, 123));
  Image<std::uint8_t> mask(4, 3);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) mask.at(x, y) = x == y ? 1 : 0;
  EXPECT_THAT(mean_spectrum(cube, mask), ElementsAre(11, 111));
  cube.plane(1).at(2, 2) = kNan;
  EXPECT_THAT(mean_spectrum(cube, mask), ElementsAre(5.5F, 105.5F));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                mean_spectrum(cube, Rect<int>{2, 0, 3, 1});
              }),
              HasSubstr("the box 2,0 3x1 does not lie in the cube of 4x3"));
  EXPECT_THROW(mean_spectrum(cube, Rect<int>{2, 2, 1, 1}), InvalidArgument);
  EXPECT_THROW(mean_spectrum(cube, Image<std::uint8_t>(4, 2)), InvalidArgument);
}

TEST(Detect, ThreadsDoNotChangeMaps) {
  Stack<float> cube(33, 40, 5);
  for (int b = 0; b < 5; ++b)
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 33; ++x)
        cube.plane(b).at(x, y) = static_cast<float>((x * 7 + y * 3 + b * 11) % 19);
  const std::vector<float> target{1, 5, 2, 8, 3};
  for (const auto measure : {spectral_angle, sum_of_differences}) {
    const Image<float> one = measure(cube, target, {.threads = 1});
    const Image<float> many = measure(cube, target, {.threads = 3});
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 33; ++x) EXPECT_EQ(one.at(x, y), many.at(x, y));
  }
}

TEST(Detect, RefusesTargetsThatDoNotFit) {
  const Stack<float> cube = cube_of({{3, 0}});
  EXPECT_THAT(message_of<InvalidArgument>([&] { spectral_angle(cube, std::vector<float>{1}); }),
              HasSubstr("spectral_angle: the target has 1 values, but the cube has 2 bands"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                sum_of_differences(cube, std::vector<float>{1, kNan});
              }),
              HasSubstr("value of band 1 is nan"));
  EXPECT_THROW(spectral_angle(Stack<float>(), std::vector<float>{}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::emd
