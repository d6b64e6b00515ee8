#include <fovea/core/error.h>
#include <fovea/flow/show.h>

#include <algorithm>
#include <cmath>

#include "flow/wheel.h"
#include "support/images.h"

namespace fovea::flow {
namespace {

using report::Color;
using test::images_equal;

Image<float> plane(int width, int height, float value) {
  Image<float> image(width, height);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), width, value);
  return image;
}

Color color_at(const Image<std::uint8_t>& picture, int x, int y) {
  return {picture.at(x, y, 0), picture.at(x, y, 1), picture.at(x, y, 2)};
}

// What the published wheel has at the four directions (v points down) and at half the length.
TEST(Wheel, DirectionsHaveTheirPublishedColors) {
  EXPECT_EQ(wheel_color(0, 0), report::kWhite);
  const Color right = wheel_color(1, 0), down = wheel_color(0, 1), left = wheel_color(-1, 0),
              up = wheel_color(0, -1);
  EXPECT_EQ(right, (Color{255, 0, 0}));  // red
  EXPECT_GT(down.g, 200);                // yellow
  EXPECT_GT(down.r, 200);
  EXPECT_LT(down.b, 20);
  EXPECT_GT(left.b, 200);  // cyan to blue
  EXPECT_LT(left.r, 20);
  EXPECT_GT(up.b, 200);  // violet
  EXPECT_GT(up.r, 60);
  EXPECT_LT(up.g, 20);
  EXPECT_EQ(wheel_color(0.5F, 0), (Color{255, 127, 127}));
  EXPECT_EQ(wheel_color(2, 0), (Color{191, 0, 0}));
}

TEST(ShowFlow, TheLongestMotionHasTheFullColor) {
  Image<float> u = plane(3, 1, 0), v = plane(3, 1, 0);
  u.at(1, 0) = 7;
  u.at(2, 0) = 3.5F;
  Image<std::uint8_t> known(3, 1);
  std::fill_n(known.row(0), 3, std::uint8_t{1});
  EXPECT_EQ(color_at(wheel_picture({u, v}), 0, 0), report::kWhite);
  EXPECT_EQ(color_at(wheel_picture({u, v}), 1, 0), (Color{255, 0, 0}));
  EXPECT_EQ(color_at(wheel_picture({u, v}, {.longest = 14}), 1, 0), (Color{255, 127, 127}));
  EXPECT_EQ(color_at(wheel_picture({u, v}, {.longest = 2}), 1, 0), (Color{191, 0, 0}));
  known.at(1, 0) = 0;  // then the other is the longest
  EXPECT_EQ(color_at(wheel_picture({u, v, known}), 1, 0), report::kBlack);
  EXPECT_EQ(color_at(wheel_picture({u, v, known}), 2, 0), (Color{255, 0, 0}));
  EXPECT_EQ(color_at(wheel_picture({plane(2, 2, 0), plane(2, 2, 0)}), 1, 1), report::kWhite);
}

TEST(ShowFlow, PicturesDoNotDependOnThreads) {
  Random random(3);
  const Image<float> u = test::random_image<float>(random, 70, 53);
  const Image<float> v = test::random_image<float>(random, 70, 53);
  const auto image = test::random_image<std::uint8_t>(random, 70, 53, 3);
  EXPECT_TRUE(images_equal(wheel_picture({u, v}, {.exec = {.threads = 1}}),
                           wheel_picture({u, v}, {.exec = {.threads = 2}})));
  EXPECT_TRUE(images_equal(warp_picture(image, {u, v}, {.threads = 1}),
                           warp_picture(image, {u, v}, {.threads = 2})));
}

TEST(ShowFlow, TheKeyIsADisc) {
  const auto key = wheel_key(33);
  EXPECT_EQ(color_at(key, 16, 16), report::kWhite);
  EXPECT_EQ(color_at(key, 0, 0), report::kBlack);
  EXPECT_EQ(color_at(key, 32, 16), (Color{255, 0, 0}));
  EXPECT_THROW(wheel_key(2), InvalidArgument);
}

TEST(ShowFlow, WarpingUndoesAShift) {
  Random random(4);
  const auto first = test::random_image<std::uint8_t>(random, 20, 12, 3);
  Image<std::uint8_t> second(20, 12, 3);
  for (int y = 0; y < 12; ++y)
    for (int i = 0; i < 60; ++i)
      second.row(y)[i] = i >= 9 && y >= 2 ? first.row(y - 2)[i - 9] : std::uint8_t{0};
  const auto warped = warp_picture(second, {plane(20, 12, 3), plane(20, 12, 2)});
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 20; ++x)
      for (int c = 0; c < 3; ++c) {
        const bool inside = x + 3 < 20 && y + 2 < 12;
        ASSERT_EQ(warped.at(x, y, c), inside ? first.at(x, y, c) : 0) << x << " " << y;
      }
}

TEST(ShowFlow, WarpingInterpolates) {
  Image<std::uint8_t> second(3, 2);
  const std::uint8_t samples[2][3] = {{0, 100, 200}, {40, 140, 240}};
  for (int y = 0; y < 2; ++y) std::copy_n(samples[y], 3, second.row(y));
  EXPECT_EQ(warp_picture(second, {plane(3, 2, 0.25F), plane(3, 2, 0.5F)}).at(0, 0), 45);
  // A whole step to the last row and column is still inside; NaN never is.
  EXPECT_EQ(warp_picture(second, {plane(3, 2, 1), plane(3, 2, 1)}).at(1, 0), 240);
  EXPECT_EQ(warp_picture(second, {plane(3, 2, std::nanf("")), plane(3, 2, 0)}).at(1, 0), 0);
  const Image<std::uint8_t> one =
      warp_picture(Image<std::uint8_t>(1, 1), {plane(1, 1, 0), plane(1, 1, 0)});
  EXPECT_EQ(one.width(), 1);
}

TEST(ShowFlow, ArrowsLieOnTheImage) {
  Image<std::uint8_t> gray(96, 64);
  for (int y = 0; y < 64; ++y) std::fill_n(gray.row(y), 96, std::uint8_t{128});
  const auto still = arrows_picture(gray, {plane(96, 64, 0), plane(96, 64, 0)});
  const auto moving = arrows_picture(gray, {plane(96, 64, 5), plane(96, 64, 0)}, {.step = 16});
  ASSERT_EQ(moving.channels(), 3);
  EXPECT_FALSE(images_equal(still, moving));
  // An arrow to the right: red along its shaft, the faint image between rows of arrows.
  EXPECT_GT(color_at(moving, 12, 8).r, 180);
  EXPECT_LT(color_at(moving, 12, 8).g, 40);
  EXPECT_EQ(color_at(moving, 12, 0), (Color{128, 128, 128}));
  EXPECT_THROW(arrows_picture(gray, {plane(9, 9, 0), plane(9, 9, 0)}), InvalidArgument);
  EXPECT_THROW(arrows_picture(gray, {plane(96, 64, 0), plane(96, 64, 0)}, {.step = 0}),
               InvalidArgument);
}

TEST(ShowFlow, ConfidenceAndErrorsGetBrighter) {
  Image<float> values = plane(3, 1, 0);
  values.at(1, 0) = 1;
  values.at(2, 0) = std::nanf("");
  const auto sum = [](Color c) { return c.r + c.g + c.b; };
  const auto confidence = confidence_picture(values);
  EXPECT_LT(sum(color_at(confidence, 0, 0)), sum(color_at(confidence, 1, 0)));
  const auto errors = error_picture(values, 2);
  EXPECT_LT(sum(color_at(errors, 0, 0)), sum(color_at(errors, 1, 0)));
  EXPECT_EQ(color_at(errors, 2, 0), (Color{70, 84, 104}));
  EXPECT_THROW(error_picture(values, 0), InvalidArgument);
}

}  // namespace
}  // namespace fovea::flow
