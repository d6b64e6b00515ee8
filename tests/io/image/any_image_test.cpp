#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include <algorithm>
#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;
using test::message_of;
using test::random_image;
using testing::HasSubstr;

template <class T>
AnyImage any(std::initializer_list<T> samples, int channels, ImageFacts facts) {
  Image<T> image(static_cast<int>(samples.size()) / channels, 1, channels);
  std::copy(samples.begin(), samples.end(), image.row(0));
  return {std::move(image), facts};
}

TEST(AnyImage, KnowsItsShapeAndType) {
  const AnyImage image{Image<std::int16_t>(4, 3, 2)};
  EXPECT_EQ(image.width(), 4);
  EXPECT_EQ(image.height(), 3);
  EXPECT_EQ(image.channels(), 2);
  EXPECT_EQ(image.type(), SampleType::kInt16);
  EXPECT_STREQ(to_string(image.type()), "int16");
  EXPECT_EQ(image.view().index(), image.pixels.index());
}

TEST(AnyImage, ToFloatDividesByWhite) {
  EXPECT_EQ(to_float(any<std::uint8_t>({255}, 1, {})).at(0, 0), 1);
  EXPECT_FLOAT_EQ(to_float(any<std::uint16_t>({512}, 1, {.white = 1023})).at(0, 0), 512.0F / 1023);
  EXPECT_EQ(to_float(any<std::int16_t>({-32767}, 1, {.white = 32767})).at(0, 0), -1);
  EXPECT_EQ(to_float(any<double>({2.5}, 1, {.white = 1})).at(0, 0), 2.5F);
  EXPECT_EQ(to_float(any<std::uint32_t>({0xffffffff}, 1, {.white = 4294967295.0})).at(0, 0), 1);
}

TEST(AnyImage, ToBytesRoundsAndClamps) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto bytes = to_bytes(any<float>({-1, 0, 0.5F, 1, 2, nan}, 1, {.white = 1}));
  const int wanted[] = {0, 0, 128, 255, 255, 0};
  for (int x = 0; x < 6; ++x) EXPECT_EQ(bytes.at(x, 0), wanted[x]) << x;
  const auto wide = to_bytes(any<std::uint16_t>({0, 257, 65535}, 1, {.white = 65535}));
  EXPECT_EQ(wide.at(1, 0), 1);
  EXPECT_EQ(wide.at(2, 0), 255);
  EXPECT_EQ(to_bytes(any<std::int8_t>({-5}, 1, {.white = 127})).at(0, 0), 0);
}

TEST(AnyImage, MovesThroughWhatNeedsNoConversion) {
  AnyImage bytes{Image<std::uint8_t>(3, 2)};
  const std::uint8_t* pixels = std::get<Image<std::uint8_t>>(bytes.pixels).row(0);
  EXPECT_EQ(to_bytes(std::move(bytes)).row(0), pixels);
  AnyImage floats{Image<float>(3, 2)};
  const float* values = std::get<Image<float>>(floats.pixels).row(0);
  EXPECT_EQ(to_float(std::move(floats)).row(0), values);
}

TEST(AnyImage, ToGrayWeighsColors) {
  const AnyImage colors =
      any<std::uint8_t>({255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255}, 3, {});
  const auto gray = to_gray(std::get<Image<std::uint8_t>>(colors.pixels).view());
  const int wanted[] = {76, 150, 29, 255};
  for (int x = 0; x < 4; ++x) EXPECT_EQ(gray.at(x, 0), wanted[x]) << x;
  const AnyImage orange = to_gray(any<float>({1, 0.5F, 0}, 3, {.white = 1}));
  EXPECT_NEAR(std::get<Image<float>>(orange.pixels).at(0, 0), 0.299 + 0.2935, 1e-6);
  const AnyImage transparent =
      to_gray(any<std::int32_t>({100, 100, 100, 7}, 4, {.white = 1e9, .alpha = Alpha::kStraight}));
  EXPECT_EQ(transparent.channels(), 1);
  EXPECT_EQ(transparent.facts.alpha, Alpha::kNone);
  EXPECT_EQ(std::get<Image<std::int32_t>>(transparent.pixels).at(0, 0), 100);
  EXPECT_EQ(to_gray(any<std::uint8_t>({9, 1, 8, 2}, 2, {})).width(), 2);
  EXPECT_THAT(message_of<InvalidArgument>([] { to_gray(AnyImage{Image<float>(1, 1, 5)}); }),
              HasSubstr("the image has 5 channels; expected 1 to 4"));
}

TEST(AnyImage, SelectsChannels) {
  const AnyImage image = any<std::uint16_t>({1, 2, 3, 4, 5, 6}, 3, {.white = 65535});
  const int order[] = {2, 0, 0, 1};
  const AnyImage picked = select_channels(image, order);
  const auto& pixels = std::get<Image<std::uint16_t>>(picked.pixels);
  EXPECT_EQ(picked.channels(), 4);
  EXPECT_EQ(pixels.at(1, 0, 0), 6);
  EXPECT_EQ(pixels.at(1, 0, 3), 5);
  const int wrong[] = {3};
  EXPECT_THROW(select_channels(image, wrong), InvalidArgument);
  EXPECT_THROW(select_channels(image, {}), InvalidArgument);
}

TEST(AnyImage, DropsAndBlendsAlpha) {
  const ImageFacts straight{.alpha = Alpha::kStraight};
  const AnyImage image = any<std::uint8_t>({100, 50, 0, 51, 10, 20, 30, 255}, 4, straight);
  const AnyImage dropped = drop_alpha(image);
  EXPECT_EQ(dropped.channels(), 3);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(dropped.pixels).at(0, 0, 0), 100);
  EXPECT_EQ(dropped.facts.alpha, Alpha::kNone);
  const AnyImage on_white = blend_alpha(image);
  const auto& pixels = std::get<Image<std::uint8_t>>(on_white.pixels);
  EXPECT_EQ(pixels.at(0, 0, 0), 224);  // a fifth of 100, four fifths of 255
  EXPECT_EQ(pixels.at(0, 0, 2), 204);
  EXPECT_EQ(pixels.at(1, 0, 1), 20);
  const AnyImage on_red = blend_alpha(image, {1, 0, 0});
  EXPECT_EQ(std::get<Image<std::uint8_t>>(on_red.pixels).at(0, 0, 1), 10);
  const AnyImage premultiplied =
      any<float>({0.25F, 0.5F}, 2, {.white = 1, .alpha = Alpha::kPremultiplied});
  EXPECT_FLOAT_EQ(std::get<Image<float>>(blend_alpha(premultiplied, {1, 1, 1}).pixels).at(0, 0),
                  0.75F);
  const AnyImage plain = any<std::uint8_t>({1, 2, 3, 4}, 4, {});
  EXPECT_EQ(drop_alpha(plain).channels(), 4);
  EXPECT_EQ(blend_alpha(plain).channels(), 4);
}

// A 3x2 picture of letters, and how each orientation's stored form reads upright.
TEST(AnyImage, AppliesAllOrientations) {
  const std::string upright[] = {"",       "abcdef", "cbafed", "fedcba", "defabc",
                                 "adbecf",   // 5: transposed
                                 "daebfc",   // 6: turned clockwise
                                 "fcebda",   // 7: transposed across
                                 "cfbead"};  // 8: turned counter-clockwise
  Image<std::uint8_t> stored(3, 2);
  for (int i = 0; i < 6; ++i) stored.at(i % 3, i / 3) = static_cast<std::uint8_t>('a' + i);
  const AnyImage image{std::move(stored)};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const AnyImage turned = apply_orientation(image, orientation);
    const auto& pixels = std::get<Image<std::uint8_t>>(turned.pixels);
    EXPECT_EQ(pixels.width(), orientation < 5 ? 3 : 2);
    std::string text;
    for (int y = 0; y < pixels.height(); ++y)
      text.append(reinterpret_cast<const char*>(pixels.row(y)),
                  static_cast<std::size_t>(pixels.width()));
    EXPECT_EQ(text, upright[orientation]) << orientation;
    EXPECT_TRUE(turned.facts.oriented);
  }
  EXPECT_THROW(apply_orientation(image, 0), InvalidArgument);
  EXPECT_THROW(apply_orientation(image, 9), InvalidArgument);
}

TEST(AnyImage, TurnsLargePictures) {
  Random random(1);
  const AnyImage image{random_image<float>(random, 77, 45, 3)};
  const AnyImage there = apply_orientation(image, 6);
  const AnyImage back = apply_orientation(there, 8);
  EXPECT_TRUE(
      images_equal(std::get<Image<float>>(back.pixels), std::get<Image<float>>(image.pixels)));
}

}  // namespace
}  // namespace fovea::io
