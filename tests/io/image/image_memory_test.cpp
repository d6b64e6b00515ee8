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

}  // namespace
}  // namespace fovea::io
