#include "io/image/exif.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fovea::io {
namespace {

using namespace std::string_literals;

int orientation(const std::string& data) {
  return exif_orientation(std::as_bytes(std::span(data.data(), data.size())));
}

TEST(Exif, ReadsWhatItMakes) {
  for (int value = 1; value <= 8; ++value) {
    const auto exif = make_exif(value);
    EXPECT_EQ(exif_orientation(std::as_bytes(std::span(exif))), value);
  }
}

TEST(Exif, ReadsBothByteOrdersAndLaterEntries) {
  EXPECT_EQ(orientation("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"s), 6);
  EXPECT_EQ(orientation("MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x01X\0\0\0\x01\x12\0\x03\0\0\0"
                        "\x01\0\x03\0\0"s),
            3);
}

TEST(Exif, DamagedDataMeansUpright) {
  const auto made = make_exif(5);
  const std::string whole(made.begin(), made.end());
  for (std::size_t length = 0; length < whole.size() - 4; ++length)
    EXPECT_EQ(orientation(whole.substr(0, length)), 1) << length;
  EXPECT_EQ(orientation("II*\0\xff\xff\xff\xff\x01\0"s), 1);
  EXPECT_EQ(orientation("IM*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0"s), 1);
  EXPECT_EQ(orientation("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x09\0\0\0"s), 1);
}

}  // namespace
}  // namespace fovea::io
