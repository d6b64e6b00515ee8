#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <gmock/gmock.h>
#include <limits>

#include "support/files.h"
#include "support/hostile.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using test::as_bytes;
using test::message_of;
using testing::ElementsAre;
using testing::HasSubstr;

std::string little(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

struct Bmp {
  int width = 2;
  int height = 2;  // negative: the top row first
  int bits = 24;
  std::string palette{};  // or masks
  std::string rows{};
  int compression = 0;
  std::uint32_t colors = 0;
};

std::string file_of(const Bmp& bmp) {
  const std::string info = little(40) + little(static_cast<std::uint32_t>(bmp.width)) +
                           little(static_cast<std::uint32_t>(bmp.height)) + little(1, 2) +
                           little(static_cast<std::uint32_t>(bmp.bits), 2) +
                           little(static_cast<std::uint32_t>(bmp.compression)) + little(0) +
                           little(0) + little(0) + little(bmp.colors) + little(0);
  const auto offset = static_cast<std::uint32_t>(14 + info.size() + bmp.palette.size());
  const auto size = static_cast<std::uint32_t>(offset + bmp.rows.size());
  return "BM" + little(size) + little(0) + little(offset) + info + bmp.palette + bmp.rows;
}

std::vector<int> samples_of(const std::string& file) {
  const AnyImage image = read_image(as_bytes(file), "x.bmp");
  EXPECT_EQ(image.facts.format, ImageFormat::kBmp);
  const ImageInfo info = image_info(as_bytes(file), "x.bmp");
  EXPECT_EQ(info.channels, image.channels());
  const auto& bytes = std::get<Image<std::uint8_t>>(image.pixels);
  std::vector<int> samples;
  for (int y = 0; y < bytes.height(); ++y)
    samples.insert(samples.end(), bytes.row(y), bytes.row(y) + bytes.view().row_elements());
  return samples;
}

// Blue, green, red; the bottom row first; rows are padded to four bytes.
const Bmp kColors{.rows = "\x01\x02\x03\x04\x05\x06\0\0\x07\x08\x09\x0a\x0b\x0c\0\0"s};

TEST(Bmp, ReadsColors) {
  EXPECT_THAT(samples_of(file_of(kColors)), ElementsAre(9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4));
  Bmp top_down = kColors;
  top_down.height = -2;
  EXPECT_THAT(samples_of(file_of(top_down)), ElementsAre(3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10));
}

TEST(Bmp, ReadsPalettes) {
  const std::string gray = "\0\0\0\0\x64\x64\x64\0"s, red = "\0\0\0\0\0\0\xff\0"s;
  EXPECT_THAT(samples_of(file_of(
                  {.width = 3, .height = 1, .bits = 1, .palette = gray, .rows = "\xa0\0\0\0"s})),
              ElementsAre(100, 0, 100));
  EXPECT_THAT(samples_of(file_of({.width = 3,
                                  .height = 1,
                                  .bits = 4,
                                  .palette = red,
                                  .rows = "\x10\x10\0\0"s,
                                  .colors = 2})),
              ElementsAre(255, 0, 0, 0, 0, 0, 255, 0, 0));
  EXPECT_THAT(samples_of(file_of({.width = 2,
                                  .height = 1,
                                  .bits = 8,
                                  .palette = gray,
                                  .rows = "\x01\0\0\0"s,
                                  .colors = 2})),
              ElementsAre(100, 0));
}

TEST(Bmp, ReadsFourBytesPerPixel) {
  Bmp plain{.width = 1, .height = 1, .bits = 32, .rows = "\x01\x02\x03\x04"};
  EXPECT_THAT(samples_of(file_of(plain)), ElementsAre(3, 2, 1));
  plain.compression = 6;
  plain.palette = little(0xFF) + little(0xFF00) + little(0xFF0000) + little(0xFF000000);
  EXPECT_THAT(samples_of(file_of(plain)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(read_image(as_bytes(file_of(plain)), "x").facts.alpha, Alpha::kStraight);
}

TEST(Bmp, ReadsTheOldestHeader) {
  const std::string file = "BM"s + little(0) + little(0) + little(26) + little(12) + little(1, 2) +
                           little(1, 2) + little(1, 2) + little(24, 2) + "\x01\x02\x03\0"s;
  EXPECT_THAT(samples_of(file), ElementsAre(3, 2, 1));
}

TEST(Bmp, SaysWhatIsWrong) {
  const auto message = [](const Bmp& bmp) {
    return message_of<FormatError>([&] { read_image(as_bytes(file_of(bmp)), "x.bmp"); });
  };
  EXPECT_THAT(message({.bits = 16, .rows = "12345678"}), HasSubstr("is a BMP of 16 bits"));
  EXPECT_THAT(message({.bits = 8, .compression = 1}), HasSubstr("with compression 1"));
  EXPECT_THAT(message({.rows = "123"}), HasSubstr("is truncated: 2x2 pixels"));
  EXPECT_THAT(message({.width = 60000, .height = 60000}), HasSubstr("is truncated"));
  EXPECT_THAT(message({.width = 0}), HasSubstr("no image that can be read"));
  EXPECT_THAT(message({.height = std::numeric_limits<int>::min()}), HasSubstr("x.bmp: "));
}

TEST(Bmp, SurvivesHostileFiles) {
  test::expect_truncations_refused(file_of(kColors));
  test::expect_corruptions_survived(file_of(kColors));
  test::expect_corruptions_survived(file_of({.width = 3,
                                             .height = 1,
                                             .bits = 4,
                                             .palette = "\0\0\0\0\0\0\xff\0"s,
                                             .rows = "\x10\x10\0\0"s,
                                             .colors = 2}));
}

TEST(Bmp, IsNotWritten) {
  const test::TempFolder folder;
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { write_image(folder / "a.bmp", Image<std::uint8_t>(2, 2).view()); }),
              test::says("a.bmp", "not written", ".png .jpg"));
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace fovea::io
