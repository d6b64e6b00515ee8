#include "demo/overview.h"

#include <gtest/gtest.h>

namespace fovea::cli {
namespace {

Image<std::uint8_t> plain(int width, int height, std::uint8_t gray) {
  Image<std::uint8_t> image(width, height, 3);
  for (int y = 0; y < height; ++y) std::fill_n(image.row(y), 3 * width, gray);
  return image;
}

TEST(Overview, PicturesFillTheirCellsOrAreWhole) {
  Overview overview;
  for (int i = 0; i < 3; ++i) overview.add("wide", plain(900, 60, 90).view());
  overview.add("whole", plain(900, 60, 90).view(), Overview::Fit::kWhole);
  const Image<std::uint8_t> sheet = overview.draw();
  EXPECT_GE(sheet.width(), 3 * 400);
  EXPECT_GE(sheet.height(), 2 * 264);
  // Beside the corner of its cell, and in its middle.
  EXPECT_EQ(sheet.at(8 + 5, 8 + 5), 90);
  EXPECT_EQ(sheet.at(8 + 200, 8 + 132), 90);
  const int second = sheet.height() / 2;
  EXPECT_EQ(sheet.at(8 + 5, second + 20), 255) << "a whole picture leaves room above it";
}

TEST(Overview, SmallPicturesGrow) {
  Overview overview;
  overview.add("small", plain(40, 26, 30).view());
  const Image<std::uint8_t> sheet = overview.draw();
  EXPECT_EQ(sheet.at(8 + 2, 8 + 2), 30);
  EXPECT_EQ(sheet.at(8 + 397, 8 + 258), 30);
}

}  // namespace
}  // namespace fovea::cli
