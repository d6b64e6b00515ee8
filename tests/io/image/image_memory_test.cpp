#include <fovea/io/image_memory.h>

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/image_io.h>
#include <gtest/gtest.h>

#include "support/images.h"

namespace fovea::io {
namespace {

TEST(PngBytes, ReadBackAsTheImage) {
  Random random(9);
  for (int channels = 1; channels <= 4; ++channels) {
    const auto image = test::random_image<std::uint8_t>(random, 37, 23, channels);
    const std::string bytes = png_bytes(image.view().crop(3, 2, 30, 20));
    const AnyImage read = read_image(std::as_bytes(std::span(bytes)), "bytes");
    ASSERT_EQ(read.width(), 30);
    ASSERT_EQ(read.height(), 20);
    ASSERT_EQ(read.channels(), channels);
    const auto& pixels = std::get<Image<std::uint8_t>>(read.pixels);
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 30; ++x)
        for (int c = 0; c < channels; ++c) ASSERT_EQ(pixels.at(x, y, c), image.at(x + 3, y + 2, c));
  }
}

TEST(PngBytes, RefuseWhatIsNoPng) {
  EXPECT_THROW(png_bytes(Image<std::uint8_t>(4, 4, 5)), InvalidArgument);
  EXPECT_THROW(png_bytes(Image<std::uint8_t>()), InvalidArgument);
}

TEST(JpegBytes, ReadBackAsAlmostTheImage) {
  for (const int channels : {1, 3}) {
    Image<std::uint8_t> image(40, 24, channels);
    for (int y = 0; y < 24; ++y)
      for (int x = 0; x < 40; ++x)
        for (int c = 0; c < channels; ++c) image.at(x, y, c) = static_cast<std::uint8_t>(4 * x + y);
    const std::string good = jpeg_bytes(image.view().crop(4, 2, 32, 20), 95);
    const AnyImage read = read_image(std::as_bytes(std::span(good)), "bytes");
    ASSERT_EQ(read.width(), 32);
    ASSERT_EQ(read.channels(), channels);
    const auto& pixels = std::get<Image<std::uint8_t>>(read.pixels);
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 32; ++x) ASSERT_NEAR(pixels.at(x, y), image.at(x + 4, y + 2), 6);
    EXPECT_LT(jpeg_bytes(image.view(), 20).size(), jpeg_bytes(image.view(), 95).size());
  }
}

TEST(JpegBytes, RefuseWhatIsNoJpeg) {
  EXPECT_THROW(jpeg_bytes(Image<std::uint8_t>(4, 4, 4)), InvalidArgument);
  EXPECT_THROW(jpeg_bytes(Image<std::uint8_t>()), InvalidArgument);
  EXPECT_THROW(jpeg_bytes(Image<std::uint8_t>(70000, 1)), InvalidArgument);
  EXPECT_THROW(jpeg_bytes(Image<std::uint8_t>(4, 4), 0), InvalidArgument);
}

}  // namespace
}  // namespace fovea::io
