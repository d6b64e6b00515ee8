// Covers: tiff_chain, tiff_file, tiff_samples, tiff_write
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/tiff_writer.h>
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

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
using test::save;
using test::TempFolder;
using testing::HasSubstr;

// A TIFF that write_image() does not write, made by libtiff itself.
struct TiffRecipe {
  std::uint32_t width = 8, height = 6;
  int samples = 1, bits = 8, format = SAMPLEFORMAT_UINT;
  int photometric = PHOTOMETRIC_MINISBLACK, planar = PLANARCONFIG_CONTIG;
  int compression = COMPRESSION_NONE;
  std::uint32_t tile = 0;  // its side; 0: strips
  int strip_rows = 2;
  const char* mode = "w";
  std::function<void(TIFF*)> more{};  // further fields
};

// `bytes` are the pixels as stored: rows of all samples, or planes one after another.
std::string make_tiff(const TiffRecipe& recipe, const std::string& bytes) {
  const TempFolder folder;
  TIFF* tiff = TIFFOpen((folder / "a.tif").c_str(), recipe.mode);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, recipe.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, recipe.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, recipe.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, recipe.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, recipe.format);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, recipe.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, recipe.planar);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, recipe.compression);
  if (recipe.more) recipe.more(tiff);
  const int planes = recipe.planar == PLANARCONFIG_SEPARATE ? recipe.samples : 1;
  const auto row_bytes = bytes.size() / recipe.height / static_cast<std::size_t>(planes);
  const auto row = [&](int plane, std::uint32_t y) {
    return bytes.data() + (static_cast<std::size_t>(plane) * recipe.height + y) * row_bytes;
  };
  if (recipe.tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, recipe.tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, recipe.tile);
    const auto pixel = row_bytes / recipe.width;
    for (int plane = 0; plane < planes; ++plane) {
      for (std::uint32_t top = 0; top < recipe.height; top += recipe.tile) {
        for (std::uint32_t left = 0; left < recipe.width; left += recipe.tile) {
          std::string tile(recipe.tile * recipe.tile * pixel, '\0');
          for (std::uint32_t y = top; y < std::min(top + recipe.tile, recipe.height); ++y) {
            const auto columns = std::min(recipe.tile, recipe.width - left);
            std::memcpy(tile.data() + (y - top) * recipe.tile * pixel, row(plane, y) + left * pixel,
                        columns * pixel);
          }
          TIFFWriteTile(tiff, tile.data(), left, top, 0, static_cast<std::uint16_t>(plane));
        }
      }
    }
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP,
                 recipe.compression == COMPRESSION_JPEG ? 16 : recipe.strip_rows);
    for (int plane = 0; plane < planes; ++plane) {
      for (std::uint32_t y = 0; y < recipe.height; ++y) {
        std::string copy(row(plane, y), row_bytes);
        TIFFWriteScanline(tiff, copy.data(), y, static_cast<std::uint16_t>(plane));
      }
    }
  }
  TIFFClose(tiff);
  return load(folder / "a.tif");
}

std::string counting_bytes(std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(i * 7 + 3);
  return bytes;
}

template <class T>
class TiffTypes : public testing::Test {};
using Types = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::int8_t, std::int16_t,
                             std::int32_t, float, double>;
TYPED_TEST_SUITE(TiffTypes, Types);

TYPED_TEST(TiffTypes, RoundTripsEveryCompressionAndChannelCount) {
  const TempFolder folder;
  Random random(1);
  for (const auto compression : {TiffCompression::kNone, TiffCompression::kPackBits,
                                 TiffCompression::kLzw, TiffCompression::kDeflate}) {
    for (const int channels : {1, 2, 3, 4, 7}) {
      const auto image = random_image<TypeParam>(random, 33, 21, channels);
      write_image(folder / "a.tif", image, {.tiff_compression = compression});
      const AnyImage back = read_image(folder / "a.tif");
      EXPECT_TRUE(images_equal(std::get<Image<TypeParam>>(back.pixels), image));
      EXPECT_EQ(back.facts.bits, static_cast<int>(8 * sizeof(TypeParam)));
      EXPECT_EQ(back.facts.alpha, channels == 2 || channels == 4 ? Alpha::kStraight : Alpha::kNone);
      const ImageInfo info = image_info(folder / "a.tif");
      EXPECT_EQ(info.channels, channels);
      EXPECT_EQ(info.type, back.type());
      EXPECT_EQ(info.pages, 1);
    }
  }
}

// Strips and tiles, samples together and in planes, both byte orders, classic and big.
TYPED_TEST(TiffTypes, ReadsEveryLayout) {
  Random random(2);
  const auto image = random_image<TypeParam>(random, 37, 19, 3);
  std::string together, planes;
  for (int y = 0; y < 19; ++y)
    together.append(reinterpret_cast<const char*>(image.row(y)), 37 * 3 * sizeof(TypeParam));
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 19; ++y)
      for (int x = 0; x < 37; ++x)
        planes.append(reinterpret_cast<const char*>(&image.at(x, y, c)), sizeof(TypeParam));
  TiffRecipe recipe{.width = 37, .height = 19, .samples = 3, .bits = 8 * sizeof(TypeParam)};
  recipe.format = std::is_floating_point_v<TypeParam> ? SAMPLEFORMAT_IEEEFP
                  : std::is_signed_v<TypeParam>       ? SAMPLEFORMAT_INT
                                                      : SAMPLEFORMAT_UINT;
  recipe.photometric = PHOTOMETRIC_RGB;
  for (const char* mode : {"wl", "wb", "w8l", "w8b"}) {
    for (const std::uint32_t tile : {0U, 16U}) {
      for (const int planar : {PLANARCONFIG_CONTIG, PLANARCONFIG_SEPARATE}) {
        recipe.mode = mode;
        recipe.tile = tile;
        recipe.planar = planar;
        recipe.compression = tile == 0 ? COMPRESSION_NONE : COMPRESSION_LZW;
        const std::string file =
            make_tiff(recipe, planar == PLANARCONFIG_CONTIG ? together : planes);
        const AnyImage back = read_image(as_bytes(file), "layout");
        EXPECT_TRUE(images_equal(std::get<Image<TypeParam>>(back.pixels), image))
            << mode << " tile " << tile << " planar " << planar;
      }
    }
  }
}

TEST(Tiff, SpreadsFewBitsOverBytes) {
  for (const int bits : {1, 2, 4}) {
    const int most = (1 << bits) - 1;
    const std::string file = make_tiff({.width = 8, .height = 1, .bits = bits},
                                       std::string("\x1b\xe4\x5a\xc3").substr(0, 1U * bits));
    const AnyImage image = read_image(as_bytes(file), "bits");
    EXPECT_EQ(image.facts.bits, bits);
    const auto& pixels = std::get<Image<std::uint8_t>>(image.pixels);
    const unsigned char first = 0x1b;
    for (int x = 0; x < 8 / bits; ++x)
      EXPECT_EQ(pixels.at(x, 0), (first >> (8 - bits * (x + 1)) & most) * 255 / most);
  }
}

TEST(Tiff, InvertsWhereWhiteIsZero) {
  const std::string file = make_tiff(
      {.width = 8, .height = 1, .bits = 1, .photometric = PHOTOMETRIC_MINISWHITE}, "\x80");
  const auto image = to_bytes(read_image(as_bytes(file), "fax"));
  EXPECT_EQ(image.at(0, 0), 0);
  EXPECT_EQ(image.at(1, 0), 255);
}

TEST(Tiff, KeepsValuesOfOddDepths) {
  // 0x123 and 0xfff packed to 12 bits each.
  const std::string twelve =
      make_tiff({.width = 2, .height = 1, .bits = 12}, std::string("\x12\x3f\xff"));
  const AnyImage image = read_image(as_bytes(twelve), "twelve");
  EXPECT_EQ(std::get<Image<std::uint16_t>>(image.pixels).at(0, 0), 0x123);
  EXPECT_EQ(image.facts.white, 4095);
  EXPECT_EQ(to_bytes(image).at(1, 0), 255);
  const std::string minus =
      make_tiff({.width = 2, .height = 1, .bits = 12, .format = SAMPLEFORMAT_INT},
                std::string("\x12\x3f\xff"));
  EXPECT_EQ(std::get<Image<std::int16_t>>(read_image(as_bytes(minus), "minus").pixels).at(1, 0),
            -1);
  for (const char* mode : {"wl", "wb"}) {
    const std::uint32_t value = 0x123456;
    const std::string bytes(reinterpret_cast<const char*>(&value), 3);  // in this machine's order
    const std::string wide = make_tiff({.width = 1, .height = 1, .bits = 24, .mode = mode}, bytes);
    EXPECT_EQ(std::get<Image<std::uint32_t>>(read_image(as_bytes(wide), "wide").pixels).at(0, 0),
              0x123456U)
        << mode;
  }
}

TEST(Tiff, WidensHalfFloats) {
  const std::uint16_t halves[] = {0x3c00, 0xc000, 0x0001, 0x7c00};  // 1, -2, 2^-24, infinity
  const std::string file =
      make_tiff({.width = 4, .height = 1, .bits = 16, .format = SAMPLEFORMAT_IEEEFP},
                std::string(reinterpret_cast<const char*>(halves), sizeof(halves)));
  const auto image = to_float(read_image(as_bytes(file), "half"));
  EXPECT_EQ(image.at(0, 0), 1);
  EXPECT_EQ(image.at(1, 0), -2);
  EXPECT_EQ(image.at(2, 0), 0x1p-24F);
  EXPECT_TRUE(std::isinf(image.at(3, 0)));
}

TEST(Tiff, ExpandsPalettes) {
  for (const int scale : {257, 256, 1}) {
    std::vector<std::uint16_t> red(256), green(256), blue(256);
    for (int i = 0; i < 256; ++i) {
      red[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>(i * scale);
      blue[static_cast<std::size_t>(i)] = static_cast<std::uint16_t>((255 - i) * scale);
    }
    TiffRecipe recipe{.photometric = PHOTOMETRIC_PALETTE};
    recipe.more = [&](TIFF* tiff) {
      TIFFSetField(tiff, TIFFTAG_COLORMAP, red.data(), green.data(), blue.data());
    };
    const std::string file = make_tiff(recipe, counting_bytes(48));
    const AnyImage image = read_image(as_bytes(file), "palette");
    const auto& pixels = std::get<Image<std::uint8_t>>(image.pixels);
    ASSERT_EQ(image.channels(), 3);
    EXPECT_EQ(pixels.at(2, 0, 0), 17);
    EXPECT_EQ(pixels.at(2, 0, 1), 0);
    EXPECT_EQ(pixels.at(2, 0, 2), 238) << scale;
  }
}

TEST(Tiff, KeepsWidePalettes) {
  std::vector<std::uint16_t> map(256);
  for (std::size_t i = 0; i < 256; ++i) map[i] = static_cast<std::uint16_t>(i * 200 + 5);
  TiffRecipe recipe{.photometric = PHOTOMETRIC_PALETTE};
  recipe.more = [&](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  };
  const std::string file = make_tiff(recipe, counting_bytes(48));
  const AnyImage image = read_image(as_bytes(file), "palette");
  EXPECT_EQ(std::get<Image<std::uint16_t>>(image.pixels).at(0, 0, 1), 3 * 200 + 5);
}

TEST(Tiff, PaletteIndicesAreNeverNegative) {
  std::vector<std::uint16_t> map(256, 0x0101);
  TiffRecipe recipe{.format = SAMPLEFORMAT_INT, .photometric = PHOTOMETRIC_PALETTE};
  recipe.more = [&](TIFF* tiff) {
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
  };
  const std::string file = make_tiff(recipe, std::string(48, '\xff'));
  EXPECT_EQ(to_bytes(read_image(as_bytes(file), "palette")).at(7, 5, 2), 1);
}

TEST(Tiff, GivesInksAsRgb) {
  const std::string file =
      make_tiff({.width = 1, .height = 1, .samples = 4, .photometric = PHOTOMETRIC_SEPARATED},
                std::string("\xff\0\0\0", 4));
  const AnyImage image = read_image(as_bytes(file), "inks");
  ASSERT_EQ(image.channels(), 3);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(0, 0, 0), 0);
  EXPECT_EQ(std::get<Image<std::uint8_t>>(image.pixels).at(0, 0, 1), 255);
}

TEST(Tiff, ReadsFaxes) {
  for (const int compression :
       {COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3, COMPRESSION_CCITTFAX4}) {
    const std::string bits = counting_bytes(4 * 9);
    const std::string file = make_tiff({.width = 32,
                                        .height = 9,
                                        .bits = 1,
                                        .photometric = PHOTOMETRIC_MINISWHITE,
                                        .compression = compression},
                                       bits);
    const auto image = to_bytes(read_image(as_bytes(file), "fax"));
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < 32; ++x)
        EXPECT_EQ(image.at(x, y),
                  bits[static_cast<std::size_t>(y * 4 + x / 8)] >> (7 - x % 8) & 1 ? 0 : 255);
  }
}

// Every lossless scheme this libtiff has.
TEST(Tiff, ReadsOtherCompressions) {
  const std::string bytes = counting_bytes(48 * 3);
  for (const int compression : {COMPRESSION_LZW, COMPRESSION_PACKBITS, COMPRESSION_ADOBE_DEFLATE,
                                COMPRESSION_LZMA, COMPRESSION_ZSTD, COMPRESSION_LERC}) {
    if (TIFFIsCODECConfigured(static_cast<std::uint16_t>(compression)) != 1) continue;
    const std::string file = make_tiff(
        {.samples = 3, .photometric = PHOTOMETRIC_RGB, .compression = compression}, bytes);
    const auto image = to_bytes(read_image(as_bytes(file), "compressed"));
    for (int y = 0; y < 6; ++y)
      EXPECT_EQ(std::memcmp(image.row(y), bytes.data() + y * 24, 24), 0) << compression;
  }
}

// Only the Python package is without these two: here such a file is damaged, and no codec is
// missing.
TEST(Tiff, CallsDamagedJbigAndLercDamaged) {
  for (const int scheme : {COMPRESSION_JBIG, COMPRESSION_LERC}) {
    std::string file = make_tiff({.bits = 1}, std::string(6, '\x55'));
    const std::size_t at = file.find(std::string{3, 1, 3, 0, 1, 0, 0, 0});  // one short number
    ASSERT_NE(at, std::string::npos);
    file[at + 8] = static_cast<char>(scheme & 255);
    file[at + 9] = static_cast<char>(scheme >> 8);
    EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(file), "scan.tif"); }),
                AllOf(HasSubstr("scan.tif: is truncated or damaged: "), Not(HasSubstr("Python"))));
  }
}

TEST(Tiff, ReadsLargeStripsRowByRow) {
  const std::string bytes = counting_bytes(std::size_t{2200} * 2100);
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW}) {
    std::string file = make_tiff(
        {.width = 2200, .height = 2100, .compression = compression, .strip_rows = 2100}, bytes);
    const auto image = to_bytes(read_image(as_bytes(file), "large"));
    for (int y = 0; y < 2100; ++y)
      ASSERT_EQ(std::memcmp(image.row(y), bytes.data() + std::ptrdiff_t{y} * 2200, 2200), 0) << y;
    // Pixels come first: without their second half only some rows are there.
    file.erase(file.size() / 3, file.size() / 3);
    EXPECT_THROW(read_image(as_bytes(file), "large"), FormatError);
  }
}

TEST(Tiff, ReadsJpegInside) {
  const std::string bytes(32 * 32 * 3, '\x64');
  TiffRecipe recipe{.width = 32, .height = 32, .samples = 3};
  recipe.photometric = PHOTOMETRIC_YCBCR;
  recipe.compression = COMPRESSION_JPEG;
  recipe.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB); };
  const std::string file = make_tiff(recipe, bytes);
  const AnyImage image = read_image(as_bytes(file), "jpeg");
  ASSERT_EQ(image.channels(), 3);
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(std::get<Image<std::uint8_t>>(image.pixels).at(17, 20, c), 100, 2);
}

TEST(Tiff, GivesYcbcrAndLabAsRgb) {
  TiffRecipe recipe{.width = 8, .height = 6, .samples = 3};
  recipe.photometric = PHOTOMETRIC_YCBCR;
  recipe.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1); };
  std::string pixels;
  for (int i = 0; i < 48; ++i) pixels += "\x50\x80\x80";
  const std::string file = make_tiff(recipe, pixels);
  EXPECT_NEAR(std::get<Image<std::uint8_t>>(read_image(as_bytes(file), "ycbcr").pixels).at(1, 1, 1),
              0x50, 2);
  recipe.photometric = PHOTOMETRIC_CIELAB;
  recipe.more = nullptr;
  const std::string lab = make_tiff(recipe, std::string(48 * 3, '\0'));
  EXPECT_NEAR(std::get<Image<std::uint8_t>>(read_image(as_bytes(lab), "lab").pixels).at(1, 1, 1), 0,
              2);
}

TEST(Tiff, ReadsLogarithmicLuminanceAsFloats) {
  const std::vector<float> pixels(48, 0.5F);
  TiffRecipe recipe{.bits = 32, .format = SAMPLEFORMAT_IEEEFP, .photometric = PHOTOMETRIC_LOGL};
  recipe.compression = COMPRESSION_SGILOG;
  recipe.more = [](TIFF* tiff) { TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT); };
  const std::string file =
      make_tiff(recipe, std::string(reinterpret_cast<const char*>(pixels.data()), 48 * 4));
  EXPECT_NEAR(to_float(read_image(as_bytes(file), "log")).at(3, 2), 0.5, 0.01);
}

TEST(Tiff, HoldsPagesOfAnyKind) {
  const TempFolder folder;
  Random random(3);
  const auto first = random_image<std::uint8_t>(random, 9, 5, 3);
  const auto second = random_image<float>(random, 4, 8);
  const auto third = random_image<std::uint16_t>(random, 6, 6, 2);
  const std::vector<AnyView> pages{first, second, third};
  write_pages(folder / "a.tif", pages);
  EXPECT_EQ(image_info(folder / "a.tif").pages, 3);
  const std::vector<AnyImage> back = read_pages(folder / "a.tif");
  ASSERT_EQ(back.size(), 3U);
  EXPECT_TRUE(images_equal(std::get<Image<std::uint8_t>>(back[0].pixels), first));
  EXPECT_TRUE(images_equal(std::get<Image<float>>(back[1].pixels), second));
  EXPECT_TRUE(images_equal(std::get<Image<std::uint16_t>>(back[2].pixels), third));
  const AnyImage one = read_image(folder / "a.tif", {.page = 1});
  EXPECT_TRUE(images_equal(std::get<Image<float>>(one.pixels), second));
  EXPECT_THAT(message_of<InvalidArgument>([&] { read_image(folder / "a.tif", {.page = 3}); }),
              HasSubstr("page 3 was requested, but the file has 3"));
  EXPECT_THROW(write_pages(folder / "a.png", pages), InvalidArgument);
  EXPECT_THROW(write_pages(folder / "b.tif", {}), InvalidArgument);
}

// What most readers know without further packages: no predictor for floating point.
TEST(Tiff, WritesFloatsWithoutPredictor) {
  const TempFolder folder;
  Random random(6);
  const auto image = random_image<float>(random, 300, 400);
  for (const auto compression :
       {TiffCompression::kNone, TiffCompression::kLzw, TiffCompression::kDeflate}) {
    write_image(folder / "a.tif", image, {.tiff_compression = compression});
    EXPECT_TRUE(images_equal(std::get<Image<float>>(read_image(folder / "a.tif").pixels), image));
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(
        TIFFOpen((folder / "a.tif").c_str(), "r"), TIFFClose);
    ASSERT_NE(tiff, nullptr);
    std::uint16_t predictor = PREDICTOR_NONE;
    TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_PREDICTOR, &predictor);
    EXPECT_LE(predictor, PREDICTOR_NONE);  // 0 where the compression knows no predictor
  }
}

TEST(Tiff, ReadsTheFloatingPointPredictor) {
  const TempFolder folder;
  const std::string path = folder / "a.tif";
  std::vector<float> row{0.5F, -3.25F, 1e-20F, 7e9F};
  {
    const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), "w"), TIFFClose);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, 4);
    TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 32);
    TIFFSetField(tiff.get(), TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff.get(), TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff.get(), TIFFTAG_PREDICTOR, PREDICTOR_FLOATINGPOINT);
    std::vector<float> scratch = row;  // the predictor works in place
    ASSERT_EQ(TIFFWriteScanline(tiff.get(), scratch.data(), 0, 0), 1);
  }
  const AnyImage image = read_image(path);
  for (std::size_t x = 0; x < row.size(); ++x)
    EXPECT_EQ(std::get<Image<float>>(image.pixels).at(static_cast<int>(x), 0), row[x]);
}

TEST(TiffWriter, WritesPagesAsTheyCome) {
  const TempFolder folder;
  const std::string path = folder / "a.tif";
  Random random(7);
  const auto first = random_image<float>(random, 30, 20);
  const auto second = random_image<std::uint8_t>(random, 5, 7, 3);
  for (const std::uint64_t expected : {std::uint64_t{0}, std::uint64_t{5000}}) {
    TiffWriter writer(path, {}, expected);
    writer.write(first);
    writer.write(second);
    EXPECT_EQ(writer.pages(), 2);
    const bool there = std::filesystem::exists(path);
    EXPECT_EQ(there, expected != 0) << "the last round has left its file";
    writer.finish();
    const std::string file = load(path);
    EXPECT_EQ(file[2], expected == 0 ? 43 : 42);  // BigTIFF where the size is not known
    const std::vector<AnyImage> pages = read_pages(path);
    ASSERT_EQ(pages.size(), 2U);
    EXPECT_TRUE(images_equal(std::get<Image<float>>(pages[0].pixels), first));
    EXPECT_TRUE(images_equal(std::get<Image<std::uint8_t>>(pages[1].pixels), second));
  }
}

TEST(TiffWriter, WritesTheSameBytesOnEveryNumberOfThreads) {
  const TempFolder folder;
  const std::string path = folder / "a.tif";
  Random random(11);
  const auto floats = random_image<float>(random, 333, 301);
  const auto bytes = random_image<std::uint8_t>(random, 400, 211, 3);
  for (const TiffCompression compression :
       {TiffCompression::kDeflate, TiffCompression::kLzw, TiffCompression::kPackBits}) {
    std::string alone;
    for (const int threads : {1, 2, 5}) {
      TiffWriter writer(path, {.level = 1, .tiff_compression = compression}, 0,
                        {.threads = threads});
      writer.write(floats);
      writer.write(bytes.view().crop(3, 2, 390, 200));  // rows with gaps between them
      writer.finish();
      const std::string file = load(path);
      if (threads == 1) alone = file;
      EXPECT_TRUE(file == alone) << threads << " threads";
      const std::vector<AnyImage> pages = read_pages(path);
      ASSERT_EQ(pages.size(), 2U);
      EXPECT_TRUE(images_equal(std::get<Image<float>>(pages[0].pixels), floats));
    }
  }
}

TEST(TiffWriter, PagesThatSeveralThreadsEncodeAreTheSame) {
  const TempFolder folder;
  Random random(12);
  std::vector<Image<float>> images;
  for (int i = 0; i < 6; ++i) images.push_back(random_image<float>(random, 200 + i, 150));
  const std::vector<AnyView> views(images.begin(), images.end());
  for (const TiffCompression compression :
       {TiffCompression::kDeflate, TiffCompression::kLzw, TiffCompression::kNone}) {
    write_pages(folder / "whole.tif", views, {.tiff_compression = compression});  // by libtiff
    TiffWriter halves(folder / "halves.tif", {.tiff_compression = compression}, 1000000);
    std::vector<std::optional<TiffPage>> pages(images.size());
    {
      std::vector<std::jthread> threads;
      threads.reserve(images.size());
      for (std::size_t i = images.size(); i-- > 0;)
        threads.emplace_back([&, i] { pages[i] = halves.encode(images[i]); });
    }
    for (const std::optional<TiffPage>& page : pages) halves.write(*page);
    EXPECT_EQ(halves.pages(), 6);
    halves.finish();
    EXPECT_TRUE(load(folder / "halves.tif") == load(folder / "whole.tif"));
  }
  TiffWriter packed(folder / "a.tif"),
      plain(folder / "b.tif", {.tiff_compression = TiffCompression::kNone});
  EXPECT_THROW(plain.write(packed.encode(images[0])), InvalidArgument);
}

TEST(TiffWriter, LeavesNothingWithoutFinish) {
  const TempFolder folder;
  {
    TiffWriter writer(folder / "a.tif");
    EXPECT_THROW(writer.finish(), InvalidArgument);
    writer.write(Image<float>(3, 3));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(TiffWriter(folder / "none/a.tif"), WriteError);
}

TEST(Tiff, CarriesOrientationAndAlpha) {
  const TempFolder folder;
  Random random(4);
  const auto image = random_image<float>(random, 6, 4, 4);
  write_image(folder / "a.tif", image, {.alpha = Alpha::kPremultiplied, .orientation = 8});
  const AnyImage back = read_image(folder / "a.tif");
  EXPECT_EQ(back.facts.alpha, Alpha::kPremultiplied);
  EXPECT_EQ(back.facts.orientation, 8);
  write_image(folder / "b.tif", back);
  EXPECT_EQ(image_info(folder / "b.tif").facts.alpha, Alpha::kPremultiplied);
  EXPECT_EQ(image_info(folder / "b.tif").facts.orientation, 8);
  write_image(folder / "a.tif", image, {.alpha = Alpha::kNone});
  EXPECT_EQ(image_info(folder / "a.tif").facts.alpha, Alpha::kNone);
}

TEST(Tiff, SurvivesHostileFiles) {
  const TempFolder folder;
  Random random(5);
  const auto small = random_image<std::uint16_t>(random, 4, 5, 3);
  for (const auto compression : {TiffCompression::kNone, TiffCompression::kLzw,
                                 TiffCompression::kDeflate, TiffCompression::kPackBits}) {
    const std::vector<AnyView> pages{small, small};
    write_pages(folder / "a.tif", pages, {.tiff_compression = compression});
    const std::string file = load(folder / "a.tif");
    for (std::size_t length = 0; length < file.size(); ++length)
      EXPECT_THROW(read_pages(as_bytes(std::string_view(file).substr(0, length)), "hostile"),
                   FormatError)
          << length;
    test::expect_corruptions_survived(file);
  }
  TiffRecipe tiles{.width = 20, .height = 18, .tile = 16};
  tiles.compression = COMPRESSION_LZW;
  test::expect_corruptions_survived(make_tiff(tiles, std::string(360, 'x')));
  const std::string fax = make_tiff({.width = 32,
                                     .height = 9,
                                     .bits = 1,
                                     .photometric = PHOTOMETRIC_MINISWHITE,
                                     .compression = COMPRESSION_CCITTFAX4},
                                    counting_bytes(4 * 9));
  test::expect_corruptions_survived(fax);
}

TEST(Tiff, RefusesSizesTheFileCannotJustify) {
  const std::string file = make_tiff({}, counting_bytes(48));
  // The first two entries of the directory are width (256) and height (257), in this machine's
  // order.
  std::uint32_t directory = 0;
  std::memcpy(&directory, file.data() + 4, 4);
  std::string liar = file;
  const std::uint32_t side = 60000;
  for (const std::size_t entry : {0U, 1U}) {
    std::memcpy(liar.data() + directory + 2 + 12 * entry + 2, "\x04\0", 2);  // LONG
    std::memcpy(liar.data() + directory + 2 + 12 * entry + 8, &side, 4);
  }
  EXPECT_THAT(message_of<FormatError>([&] { read_image(as_bytes(liar), "liar"); }),
              HasSubstr("liar: claims an image of 3600000000 bytes"));
}

// libtiff reads the first page and sees nothing of the others.
TEST(TiffTest, AFileThatEndsWithinALaterPageIsNoWholeFile) {
  const TempFolder folder;
  Random random(8);
  std::vector<Image<std::uint8_t>> pages;
  std::vector<AnyView> views;
  for (int i = 0; i < 3; ++i) pages.push_back(random_image<std::uint8_t>(random, 40, 30));
  for (const auto& page : pages) views.emplace_back(page.view());
  write_pages(folder / "whole.tif", views, {.tiff_compression = TiffCompression::kNone});
  const std::string whole = load(folder / "whole.tif");
  EXPECT_TRUE(images_equal(std::get<Image<std::uint8_t>>(read_image(folder / "whole.tif").pixels),
                           pages[0]));
  for (std::size_t bytes = 8; bytes < whole.size(); bytes += 97) {
    save(folder / "cut.tif", std::string_view(whole).substr(0, bytes));
    EXPECT_THROW(read_image(folder / "cut.tif"), FormatError) << bytes << " of " << whole.size();
  }
  save(folder / "cut.tif", std::string_view(whole).substr(0, whole.size() - 1));
  EXPECT_THAT(message_of<FormatError>([&] { read_image(folder / "cut.tif"); }),
              test::says("is truncated", std::to_string(whole.size() - 1)));
  EXPECT_NO_THROW(read_image(folder / "cut.tif", {.partial = true}));
}

}  // namespace
}  // namespace fovea::io
