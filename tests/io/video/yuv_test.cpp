#include "io/video/yuv.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace fovea::io {
namespace {

using testing::ElementsAre;

struct Luma {
  YuvMatrix matrix;
  double red, blue;
};
constexpr Luma kMatrices[] = {{YuvMatrix::kBt601, 0.299, 0.114},
                              {YuvMatrix::kBt709, 0.2126, 0.0722},
                              {YuvMatrix::kBt2020, 0.2627, 0.0593}};

// One pixel of each plane.
std::array<std::uint8_t, 3> encode(std::array<std::uint8_t, 3> rgb, const YuvFormat& format) {
  Image<std::uint8_t> image(1, 1, 3);
  for (int c = 0; c < 3; ++c) image.at(0, 0, c) = rgb[static_cast<std::size_t>(c)];
  std::array<std::uint8_t, 3> yuv{};
  to_yuv(image.view(), format, {{&yuv[0], &yuv[1], &yuv[2]}, {1, 1, 1}});
  return yuv;
}

TEST(Yuv, PrimariesAreThoseOfTheStandards) {
  for (const Luma& luma : kMatrices) {
    for (const bool full : {false, true}) {
      const YuvFormat format{.width = 1, .height = 1, .matrix = luma.matrix, .full_range = full};
      const double scale = full ? 255 : 219, zero = full ? 0 : 16, chroma = full ? 255 : 224;
      for (int bits = 0; bits < 8; ++bits) {
        const double r = bits & 1, g = bits >> 1 & 1, b = bits >> 2 & 1;
        const double y = luma.red * r + (1 - luma.red - luma.blue) * g + luma.blue * b;
        const auto full_byte = [](double v) { return static_cast<std::uint8_t>(255 * v); };
        const auto yuv = encode({full_byte(r), full_byte(g), full_byte(b)}, format);
        EXPECT_NEAR(yuv[0], zero + scale * y, 0.51) << bits;
        const double u = 128 + chroma * (b - y) / (2 * (1 - luma.blue));
        const double v = 128 + chroma * (r - y) / (2 * (1 - luma.red));
        EXPECT_NEAR(yuv[1], std::min(u, 255.0), 0.51) << bits;
        EXPECT_NEAR(yuv[2], std::min(v, 255.0), 0.51) << bits;
      }
    }
  }
}

TEST(Yuv, GraysKeepTheirValueInFullRange) {
  const YuvFormat format{.width = 1, .height = 1, .full_range = true};
  for (int value = 0; value < 256; ++value) {
    const auto byte = static_cast<std::uint8_t>(value);
    const auto yuv = encode({byte, byte, byte}, format);
    EXPECT_THAT(yuv, ElementsAre(byte, 128, 128));
    Image<std::uint8_t> back(1, 1, 3);
    from_yuv(format, {{&yuv[0], &yuv[1], &yuv[2]}, {1, 1, 1}}, back.view());
    for (int c = 0; c < 3; ++c) EXPECT_EQ(back.at(0, 0, c), value);
  }
}

TEST(Yuv, LimitedRangeIsStretchedAndClamped) {
  const std::array<std::uint8_t, 5> luma = {0, 16, 126, 235, 255};
  Image<std::uint8_t> bytes(5, 1, 1);
  Image<std::uint16_t> words(5, 1, 1);
  const YuvFormat format{.width = 5, .height = 1, .mono = true};
  from_yuv(format, {{luma.data()}, {5}}, bytes.view());
  from_yuv(format, {{luma.data()}, {5}}, words.view());
  EXPECT_THAT(std::span(bytes.row(0), 5), ElementsAre(0, 0, 128, 255, 255));
  EXPECT_THAT(std::span(words.row(0), 5), ElementsAre(0, 0, 32917, 65535, 65535));
}

TEST(Yuv, ChannelsConvertBothWays) {
  Image<std::uint8_t> rgba(1, 1, 4), gray(1, 1, 1), rgb(1, 1, 3);
  constexpr std::array<std::uint8_t, 4> kRed = {255, 0, 0, 9};
  std::copy(kRed.begin(), kRed.end(), rgba.row(0));
  convert_channels(ImageView<const std::uint8_t>(rgba), gray.view());
  EXPECT_EQ(gray.at(0, 0), 76);  // 0.299 of 255
  convert_channels(ImageView<const std::uint8_t>(rgba), rgb.view());
  EXPECT_THAT(std::span(rgb.row(0), 3), ElementsAre(255, 0, 0));
  convert_channels(ImageView<const std::uint8_t>(gray), rgb.view());
  EXPECT_THAT(std::span(rgb.row(0), 3), ElementsAre(76, 76, 76));
}

}  // namespace
}  // namespace fovea::io
