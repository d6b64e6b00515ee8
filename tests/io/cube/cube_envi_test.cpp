#include <fovea/core/error.h>
#include <fovea/io/cube_io.h>

#include <algorithm>
#include <cstring>

#include "support/cubes.h"
#include "support/files.h"

namespace fovea::io {
namespace {

using test::as_bytes;
using test::cube_value;
using test::cubes_equal;
using test::make_test_cube;
using test::message_of;
using test::save;
using test::TempFolder;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kWidth = 5, kHeight = 3, kBands = 4;

std::string header(int type, const std::string& interleave, const std::string& more = {}) {
  return "ENVI\nsamples = 5\nlines   = 3\nbands = 4\ndata type = " + std::to_string(type) +
         "\ninterleave = " + interleave + "\n" + more;
}

// Samples of the test's cube in any order of bands, lines and pixels, each byte order.
template <class T>
std::string samples(const std::string& interleave, bool big) {
  std::string bytes;
  const auto put = [&](int x, int y, int b) {
    const T value = cube_value<T>(x, y, b);
    std::string sample(sizeof(T), '\0');
    std::memcpy(sample.data(), &value, sizeof(T));
    if (big) std::reverse(sample.begin(), sample.end());
    bytes += sample;
  };
  if (interleave == "bsq") {
    for (int b = 0; b < kBands; ++b)
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) put(x, y, b);
  } else if (interleave == "bil") {
    for (int y = 0; y < kHeight; ++y)
      for (int b = 0; b < kBands; ++b)
        for (int x = 0; x < kWidth; ++x) put(x, y, b);
  } else {
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x)
        for (int b = 0; b < kBands; ++b) put(x, y, b);
  }
  return bytes;
}

template <class T, class As = T>
void expect_reads(int type) {
  for (const char* interleave : {"bsq", "bil", "bip", "BIP"}) {
    for (const bool big : {false, true}) {
      std::string lower = interleave == std::string("BIP") ? "bip" : interleave;
      const std::string text =
          header(type, interleave, big ? "byte order = 1\n" : "byte order = 0\n");
      const Cube cube = read_envi(text, as_bytes(samples<T>(lower, big)), "x");
      ASSERT_TRUE(std::holds_alternative<Stack<As>>(cube.bands)) << type;
      EXPECT_TRUE(cubes_equal(cube, make_test_cube<T, As>(kWidth, kHeight, kBands)))
          << type << interleave << big;
    }
  }
}

TEST(CubeEnvi, ReadsEveryTypeOrderAndInterleave) {
  expect_reads<std::uint8_t>(1);
  expect_reads<std::int16_t>(2);
  expect_reads<std::int32_t>(3);
  expect_reads<float>(4);
  expect_reads<double>(5);
  expect_reads<std::uint16_t>(12);
  expect_reads<std::uint32_t>(13);
  expect_reads<std::int64_t, double>(14);
  expect_reads<std::uint64_t, double>(15);
}

TEST(CubeEnvi, ReadsFactsAndOffsets) {
  const std::string text = header(1, "bsq",
                                  "; a comment\r\n"
                                  "Wavelength Units = Nanometers\r\n"
                                  "WAVELENGTH = {400.5, 500,\n 600 , 7e2}\n"
                                  "band  names = { one,\n two, three,four }\n"
                                  "header offset = 7\n"
                                  "words that mean nothing\n");
  const Cube cube = read_envi(text, as_bytes("garbage" + samples<std::uint8_t>("bsq", false)), "x");
  EXPECT_THAT(cube.facts.wavelengths, ElementsAre(400.5, 500, 600, 700));
  EXPECT_THAT(cube.facts.names, ElementsAre("one", "two", "three", "four"));
  EXPECT_EQ(cube.facts.units, "Nanometers");
  EXPECT_EQ(cube.facts.format, CubeFormat::kEnvi);
  EXPECT_TRUE(cubes_equal(cube, make_test_cube<std::uint8_t>(kWidth, kHeight, kBands)));
}

TEST(CubeEnvi, FindsTheOtherFile) {
  const Cube wanted = make_test_cube<std::int16_t>(kWidth, kHeight, kBands);
  const std::string raw = samples<std::int16_t>("bil", false);
  for (const auto& [text, data] : {std::pair("a.hdr", "a"), std::pair("a.hdr", "a.img"),
                                   std::pair("a.img.hdr", "a.img"), std::pair("a.HDR", "a.DAT"),
                                   std::pair("a.b.hdr", "a.b.bil"), std::pair("a.hdr", "a.raw")}) {
    const TempFolder folder;
    save(folder / text, header(2, "bil"));
    save(folder / data, raw);
    EXPECT_TRUE(cubes_equal(read_cube(folder / text), wanted)) << text << " " << data;
    EXPECT_TRUE(cubes_equal(read_cube(folder / data), wanted)) << text << " " << data;
  }
  const TempFolder folder;
  save(folder / "a.hdr", header(2, "bil"));
  EXPECT_THAT(message_of<FormatError>([&] { read_cube(folder / "a.hdr"); }),
              HasSubstr("its samples are another file, which is missing"));
}

TEST(CubeEnvi, RoundTrips) {
  const TempFolder folder;
  const auto check = [&]<class T>(T) {
    Cube cube = make_test_cube<T>(7, 2, 3);
    cube.facts.names = {"a", "b", "c"};
    cube.facts.wavelengths = {0.4, 1.0 / 3, 2};
    cube.facts.units = "Micrometers";
    write_cube(folder / "a.hdr", cube);
    const Cube back = read_cube(folder / "a.img");
    EXPECT_TRUE(cubes_equal(back, cube));
    EXPECT_EQ(back.facts.names, cube.facts.names);
    EXPECT_EQ(back.facts.wavelengths, cube.facts.wavelengths);
    EXPECT_EQ(back.facts.units, cube.facts.units);
  };
  check(std::uint8_t{});
  check(std::uint16_t{});
  check(std::uint32_t{});
  check(std::int16_t{});
  check(std::int32_t{});
  check(float{});
  check(double{});
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { write_cube(folder / "b.hdr", make_test_cube<std::int8_t>(2, 2, 2)); }),
              HasSubstr("ENVI holds no int8"));
}

std::string refusal(const std::string& text, std::size_t bytes = 60) {
  return message_of<FormatError>(
      [&] { read_envi(text, as_bytes(std::string(bytes, 'x')), "a.hdr"); });
}

TEST(CubeEnvi, SaysWhatIsWrong) {
  EXPECT_THAT(refusal(header(1, "bsq"), 59), test::says("a.hdr", "59 bytes", "5 x 3 x 4"));
  EXPECT_EQ(refusal(header(1, "bsq"), 79), "");  // padding of less than a line
  EXPECT_THAT(refusal(header(1, "bsq"), 80), HasSubstr("has 80 bytes"));
  EXPECT_THAT(refusal(header(1, "bsq", "header offset = 4"), 63), HasSubstr("after the first 4"));
  EXPECT_THAT(refusal(header(1, "bsq", "header offset = 18446744073709551615")), HasSubstr("60"));
  EXPECT_THAT(refusal(header(6, "bsq")), HasSubstr("complex samples (data type 6)"));
  EXPECT_THAT(refusal(header(7, "bsq")), HasSubstr("'data type' is 7"));
  EXPECT_THAT(refusal(header(1, "bpi")), HasSubstr("'interleave' is 'bpi'"));
  EXPECT_THAT(refusal(header(1, "bsq", "byte order = 2")), HasSubstr("'byte order' is 2"));
  EXPECT_THAT(refusal(header(1, "bsq", "file compression = 1")), HasSubstr("compressed"));
  EXPECT_THAT(refusal(header(1, "bsq", "wavelength = {1, 2}")),
              HasSubstr("2 wavelengths for 4 bands"));
  EXPECT_THAT(refusal(header(1, "bsq", "wavelength = {1, 2, x\x01, 4}")),
              HasSubstr("wavelength 3 is 'x?'"));
  EXPECT_THAT(refusal(header(1, "bsq", "wavelength = {1, 2")),
              HasSubstr("list 'wavelength' does not end"));
  EXPECT_THAT(refusal("ENVI\nsamples = 2\nlines = 2\n"), HasSubstr("has no 'data type'"));
  EXPECT_THAT(refusal("ENVI\nsamples = -2\nlines = 2\ndata type = 1\n"),
              HasSubstr("'samples' is '-2'; expected a whole number"));
  EXPECT_THAT(refusal("ENVI\nsamples = 0\nlines = 2\ndata type = 1\n"), HasSubstr("0x2"));
  EXPECT_THAT(refusal("ENVI\nsamples = 16000\nlines = 16000\nbands = 2000000000\ndata type = 5\n"),
              HasSubstr("has 60 bytes"));
  EXPECT_THAT(refusal("ENVI\nsamples = 2000000000\nlines = 2000000000\nbands = 2000000000\n"
                      "data type = 5\n"),
              HasSubstr("raise max_pixels"));
  EXPECT_THAT(refusal("ENVY\n"), HasSubstr("is no ENVI header"));
  EXPECT_THAT(message_of<FormatError>([&] {
                read_envi(header(1, "bsq"), as_bytes(std::string(60, 'x')), "a",
                          {.most_bytes = 59});
              }),
              HasSubstr("more than the 59 bytes allowed"));
}

TEST(CubeEnvi, SurvivesAnyByte) {
  const std::string raw(120, 'x');
  std::string text = header(2, "bip", "wavelength = {1, 2, 3, 4}\nheader offset = 0\n");
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char kept = text[at];
    for (const char value : {'\0', '\n', '{', '}', '9', '=', ' ', '\xff'}) {
      text[at] = value;
      const std::string message =
          message_of<FormatError>([&] { read_envi(text, as_bytes(raw), "hostile"); });
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    text[at] = kept;
  }
}

}  // namespace
}  // namespace fovea::io
