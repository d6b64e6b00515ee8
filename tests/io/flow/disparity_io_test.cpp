#include <fovea/core/error.h>
#include <fovea/io/disparity_io.h>

#include <gmock/gmock.h>

#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr float kNotKnown = std::numeric_limits<float>::infinity();

Image<float> some_map() {
  Image<float> map(3, 2);
  map.at(0, 0) = 0;
  map.at(1, 0) = 12.5F;
  map.at(2, 0) = kNotKnown;
  map.at(0, 1) = 255.5F;
  map.at(1, 1) = 1;
  map.at(2, 1) = 7.25F;
  return map;
}

TEST(DisparityIo, EveryFormatKeepsTheMap) {
  const test::TempFolder folder;
  const Image<float> map = some_map();
  for (const char* name : {"d.pfm", "d.npy", "d.tif", "d.png"}) {
    write_disparity(folder / name, map);
    const Image<float> back = read_disparity(folder / name);
    EXPECT_TRUE(test::images_equal(map.view().crop(1, 0, 1, 2), back.view().crop(1, 0, 1, 2)));
    EXPECT_EQ(back.at(2, 0), kNotKnown) << name;
    EXPECT_NEAR(back.at(0, 0), 0, 1.0 / 256) << name;  // 0 means "not known" in PNG
    EXPECT_EQ(back.at(0, 1), 255.5F) << name;
  }
}

TEST(DisparityIo, IntegersAreDividedByTheScale) {
  const test::TempFolder folder;
  Image<std::uint8_t> bytes(2, 1);
  bytes.at(0, 0) = 0;
  bytes.at(1, 0) = 120;
  write_image(folder / "t.png", bytes);
  EXPECT_EQ(read_disparity(folder / "t.png").at(1, 0), 120);
  const Image<float> third = read_disparity(folder / "t.png", {.scale = 3});
  EXPECT_EQ(third.at(1, 0), 40);
  EXPECT_EQ(third.at(0, 0), kNotKnown);
}

TEST(DisparityIo, WhatAFormatCannotHoldIsNamed) {
  const test::TempFolder folder;
  Image<float> map = some_map();
  map.at(1, 1) = -2;
  EXPECT_THAT(message_of([&] { write_disparity(folder / "d.png", map); }),
              HasSubstr("pixel (1, 1) is -2"));
  EXPECT_THAT(message_of([&] { write_disparity(folder / "d.jpg", map); }),
              HasSubstr("'.jpg' names no map of disparities"));
  Random random(1);
  write_image(folder / "rgb.png", test::random_image<std::uint8_t>(random, 2, 2, 3));
  EXPECT_THROW(read_disparity(folder / "rgb.png"), FormatError);
}

}  // namespace
}  // namespace fovea::io
