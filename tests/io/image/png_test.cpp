#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <png.h>

#include "support/files.h"
#include "support/hostile.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::as_bytes;
using test::images_equal;
using test::load;
using test::message_of;
using test::random_image;
using test::TempFolder;
using testing::HasSubstr;

// A PNG that write_image() does not write: palettes, few bits, interlacing, transparent colors.
struct PngRecipe {
  int color = PNG_COLOR_TYPE_GRAY;
  int bits = 8;
  int width = 5, height = 3;
  bool interlaced = false;
  int palette_colors = 0;
  int transparent = -1;  // palette entries from 0 up to it, or the transparent gray
};

std::string make_png(const PngRecipe& recipe, const std::vector<std::string>& rows) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp p, png_bytep data, size_t size) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), size);
      },
      nullptr);
  png_set_IHDR(png, info, static_cast<unsigned>(recipe.width), static_cast<unsigned>(recipe.height),
               recipe.bits, recipe.color,
               recipe.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, 0, 0);
  std::vector<png_color> palette;
  for (int i = 0; i < recipe.palette_colors; ++i)
    palette.push_back(
        {static_cast<png_byte>(i), static_cast<png_byte>(2 * i), static_cast<png_byte>(255 - i)});
  if (!palette.empty()) png_set_PLTE(png, info, palette.data(), recipe.palette_colors);
  png_color_16 gray{};
  gray.gray = static_cast<png_uint_16>(recipe.transparent);
  std::vector<png_byte> opacity(static_cast<std::size_t>(recipe.transparent + 1), 7);
  if (recipe.transparent >= 0)
    png_set_tRNS(png, info, palette.empty() ? nullptr : opacity.data(),
                 palette.empty() ? 0 : static_cast<int>(opacity.size()), &gray);
  png_write_info(png, info);
  std::vector<png_bytep> pointers;
  for (const std::string& row : rows)
    pointers.push_back(reinterpret_cast<png_bytep>(const_cast<char*>(row.data())));
  png_write_image(png, pointers.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return file;
}

template <class T>
class PngTypes : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::uint16_t>;
TYPED_TEST_SUITE(PngTypes, Types);

TYPED_TEST(PngTypes, RoundTripsEveryChannelCount) {
  const TempFolder folder;
  Random random(1);
  for (int channels = 1; channels <= 4; ++channels) {
    for (const int level : {0, 1, 9}) {
      const auto image = random_image<TypeParam>(random, 23, 17, channels);
      write_image(folder / "a.png", image, {.level = level});
      const AnyImage back = read_image(folder / "a.png");
      EXPECT_TRUE(images_equal(std::get<Image<TypeParam>>(back.pixels), image));
      EXPECT_EQ(back.facts.format, ImageFormat::kPng);
      EXPECT_EQ(back.facts.bits, static_cast<int>(8 * sizeof(TypeParam)));
      EXPECT_EQ(back.facts.white, sizeof(TypeParam) == 1 ? 255 : 65535);
      EXPECT_EQ(back.facts.alpha, channels % 2 == 0 ? Alpha::kStraight : Alpha::kNone);
      const ImageInfo info = image_info(folder / "a.png");
      EXPECT_EQ(info.width, 23);
      EXPECT_EQ(info.height, 17);
      EXPECT_EQ(info.channels, channels);
      EXPECT_EQ(info.type, back.type());
      EXPECT_EQ(info.facts.alpha, back.facts.alpha);
    }
  }
}

TEST(Png, SpreadsFewBitsOverBytes) {
  const std::string one = make_png({.bits = 1, .width = 9, .height = 1}, {"\xa5\x80"});
  const auto bits = to_bytes(read_image(as_bytes(one), "one"));
  for (int x = 0; x < 9; ++x) EXPECT_EQ(bits.at(x, 0), x < 8 ? (0xa5 >> (7 - x) & 1) * 255 : 255);
  const std::string two = make_png({.bits = 2, .width = 4, .height = 1}, {"\x1b"});
  const auto quarters = to_bytes(read_image(as_bytes(two), "two"));
  for (int x = 0; x < 4; ++x) EXPECT_EQ(quarters.at(x, 0), x * 85);
  const std::string four = make_png({.bits = 4, .width = 2, .height = 1}, {"\x3f"});
  const auto nibbles = read_image(as_bytes(four), "four");
  EXPECT_EQ(nibbles.facts.bits, 4);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(nibbles.pixels).at(0, 0), 3 * 17);
}

TEST(Png, ExpandsPalettes) {
  const std::string file = make_png(
      {.color = PNG_COLOR_TYPE_PALETTE, .bits = 8, .width = 3, .height = 1, .palette_colors = 4},
      {{'\0', '\2', '\3'}});
  const AnyImage image = read_image(as_bytes(file), "palette");
  const auto& pixels = std::get<Image<std::uint8_t>>(image.pixels);
  ASSERT_EQ(image.channels(), 3);
  EXPECT_EQ(pixels.at(1, 0, 0), 2);
  EXPECT_EQ(pixels.at(1, 0, 1), 4);
  EXPECT_EQ(pixels.at(1, 0, 2), 253);
}

TEST(Png, GivesTransparentColorsAnAlphaChannel) {
  const std::string palette = make_png({.color = PNG_COLOR_TYPE_PALETTE,
                                        .bits = 8,
                                        .width = 3,
                                        .height = 1,
                                        .palette_colors = 4,
                                        .transparent = 1},
                                       {{'\0', '\1', '\3'}});
  const AnyImage image = read_image(as_bytes(palette), "palette");
  ASSERT_EQ(image.channels(), 4);
  EXPECT_EQ(image.facts.alpha, Alpha::kStraight);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(1, 0, 3), 7);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(2, 0, 3), 255);
  const std::string gray =
      make_png({.bits = 8, .width = 2, .height = 1, .transparent = 9}, {{'\x09', '\x08'}});
  const AnyImage two = read_image(as_bytes(gray), "gray");
  ASSERT_EQ(two.channels(), 2);
  EXPECT_EQ(image_info(as_bytes(gray), "gray").channels, 2);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(two.pixels).at(0, 0, 1), 0);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(two.pixels).at(1, 0, 1), 255);
}

TEST(Png, ReadsInterlaced) {
  std::vector<std::string> rows;
  for (int y = 0; y < 11; ++y) rows.push_back({});
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 13; ++x) rows[static_cast<std::size_t>(y)] += static_cast<char>(x * 16 + y);
  const std::string file = make_png({.width = 13, .height = 11, .interlaced = true}, rows);
  const auto image = to_bytes(read_image(as_bytes(file), "interlaced"));
  for (int y = 0; y < 11; ++y)
    for (int x = 0; x < 13; ++x) EXPECT_EQ(image.at(x, y), x * 16 + y);
}

TEST(Png, CarriesOrientation) {
  const TempFolder folder;
  Random random(2);
  const auto image = random_image<std::uint8_t>(random, 5, 4, 3);
  write_image(folder / "a.png", image, {.orientation = 6});
  EXPECT_EQ(image_info(folder / "a.png").facts.orientation, 6);
  const AnyImage stored = read_image(folder / "a.png");
  EXPECT_EQ(stored.facts.orientation, 6);
  EXPECT_FALSE(stored.facts.oriented);
  EXPECT_EQ(stored.width(), 5);
  const AnyImage upright = read_image(folder / "a.png", {.orientation = Orientation::kApply});
  EXPECT_TRUE(upright.facts.oriented);
  EXPECT_EQ(upright.width(), 4);
  EXPECT_EQ(upright.facts.orientation, 6);
  write_image(folder / "b.png", stored);
  EXPECT_EQ(image_info(folder / "b.png").facts.orientation, 6);
  write_image(folder / "b.png", upright);
  EXPECT_EQ(image_info(folder / "b.png").facts.orientation, 1);
}

TEST(Png, SurvivesHostileFiles) {
  const TempFolder folder;
  Random random(3);
  write_image(folder / "a.png", random_image<std::uint8_t>(random, 4, 5, 3), {.orientation = 3});
  test::expect_truncations_refused(load(folder / "a.png"));
  test::expect_corruptions_survived(load(folder / "a.png"));
  const std::string odd = make_png({.color = PNG_COLOR_TYPE_PALETTE,
                                    .bits = 4,
                                    .width = 5,
                                    .height = 3,
                                    .interlaced = true,
                                    .palette_colors = 16,
                                    .transparent = 3},
                                   {"abc", "def", "ghi"});
  test::expect_truncations_refused(odd);
  test::expect_corruptions_survived(odd);
}

TEST(Png, RefusesASizeTheFileCannotJustify) {
  std::string file = make_png({}, {"abcde", "abcde", "abcde"});
  file[16] = file[20] = '\0';
  file[18] = file[22] = '\x7f';  // 32517 x 32515, a gigapixel in a hundred bytes
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(file), "liar"); }),
              HasSubstr("liar: claims an image of 1057290255 bytes"));
  EXPECT_THROW(image_info(as_bytes(file), "liar"), FormatError);
  file[24] = '\0';  // no bits per sample: any size would fit
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(file), "liar"); }),
              HasSubstr("says 0 bits per sample"));
}

TEST(Png, RefusesWhatItCannotHold) {
  const TempFolder folder;
  const std::string path = folder / "a.png";
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_image(path, Image<float>(2, 2)); }),
              test::says("a.png", "uint8 or uint16", "1 to 4 channels", "float32"));
  EXPECT_THROW(write_image(path, Image<std::uint8_t>(2, 2, 5)), InvalidArgument);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Png, AHugePictureIsRefusedBeforeMemoryIsTaken) {
  const TempFolder folder;
  Image<std::uint8_t> gray(1, 1);
  gray.at(0, 0) = 0;
  write_image(folder / "a.png", gray.view());
  std::string file = load(folder / "a.png");
  file.replace(16, 9,
               std::string("\x00\x01\x86\xa0\x00\x01\x86\xa0\x01", 9));  // 100000 x 100000, 1 bit
  file.append(1300000, '\0');  // as long as such a file would be
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(file), "x.png"); }),
              test::says("x.png", "100000x100000", "10000000000", "268435456"));
}

}  // namespace
}  // namespace fovea::io
