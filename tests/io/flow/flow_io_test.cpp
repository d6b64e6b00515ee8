// Covers: flow_flo, flow_image
#include <fovea/core/error.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using namespace std::string_literals;
using test::as_bytes;
using test::images_equal;
using test::load;
using test::message_of;
using test::TempFolder;
using testing::HasSubstr;

// Motions in steps of 1/64, which every format holds, some of them not known.
FlowField sample_field(int width, int height) {
  FlowField field{Image<float>(width, height), Image<float>(width, height),
                  Image<std::uint8_t>(width, height)};
  Random random(7);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool known = random.uniform() < 0.8;
      const auto step = [&] {
        return known ? static_cast<float>(std::floor(random.uniform() * 65536) - 32768) / 64 : 0;
      };
      field.known.at(x, y) = known ? 255 : 0;
      field.u.at(x, y) = step();
      field.v.at(x, y) = step();
    }
  }
  return field;
}

std::string floats(std::initializer_list<float> values) {
  std::string bytes(4 * values.size(), '\0');
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

std::string flo(std::int32_t width, std::int32_t height, const std::string& vectors) {
  std::string bytes = "PIEH        ";
  std::memcpy(bytes.data() + 4, &width, 4);
  std::memcpy(bytes.data() + 8, &height, 4);
  return bytes + vectors;
}

FlowField parse(const std::string& bytes) { return read_flow(as_bytes(bytes), "x.flo"); }

TEST(FlowIo, EveryFormatGivesBackWhatItWasGiven) {
  const TempFolder folder;
  const FlowField field = sample_field(13, 7);
  for (const char* name : {"a.flo", "a.png", "a.pfm", "a.npy", "a.FLO"}) {
    write_flow(folder / name, field);
    const FlowField back = read_flow(folder / name);
    EXPECT_TRUE(images_equal(back.u, field.u)) << name;
    EXPECT_TRUE(images_equal(back.v, field.v)) << name;
    EXPECT_TRUE(images_equal(back.known, field.known)) << name;
  }
}

Image<float> sample_confidence(int width, int height) {
  Image<float> confidence(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      confidence.at(x, y) = static_cast<float>((7 * x + 3 * y) % 101) / 100;
  return confidence;
}

TEST(FlowIo, ConfidenceIsAThirdChannel) {
  const TempFolder folder;
  FlowField field = sample_field(13, 7);
  field.confidence = sample_confidence(13, 7);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 13; ++x)
      if (field.known.at(x, y) == 0) field.confidence.at(x, y) = 0;
  for (const char* name : {"a.pfm", "a.npy", "a.tif", "a.tiff"}) {
    write_flow(folder / name, field);
    const FlowField back = read_flow(folder / name);
    EXPECT_TRUE(images_equal(back.u, field.u)) << name;
    EXPECT_TRUE(images_equal(back.v, field.v)) << name;
    EXPECT_TRUE(images_equal(back.known, field.known)) << name;
    EXPECT_TRUE(images_equal(back.confidence, field.confidence)) << name;
    write_flow(folder / name, field, {.confidence = false});
    const FlowField without = read_flow(folder / name);
    EXPECT_TRUE(without.confidence.empty()) << name;
    EXPECT_TRUE(images_equal(without.u, field.u)) << name;
  }
  EXPECT_EQ(read_image(folder / "a.tif").channels(), 2);
}

TEST(FlowIo, ATwoOrThreeChannelTiffIsAField) {
  const TempFolder folder;
  const FlowField field = sample_field(9, 4);
  write_flow(folder / "a.tif", field);
  EXPECT_TRUE(images_equal(read_flow(folder / "a.tif").v, field.v));
  write_image(folder / "b.tif", Image<float>(3, 2, 4));
  write_image(folder / "c.tif", Image<std::uint16_t>(3, 2, 3));
  EXPECT_THAT(test::message_of<FormatError>([&] { read_flow(folder / "b.tif"); }),
              test::says("TIFF of float32", "4 channels", "2 or 3"));
  EXPECT_THAT(test::message_of<FormatError>([&] { read_flow(folder / "c.tif"); }),
              HasSubstr("uint16"));
}

TEST(FlowIo, AThirdChannelThatIsNoConfidenceIsIgnored) {
  const TempFolder folder;
  Image<float> pixels(4, 3, 3);
  const auto fill = [&](float third) {
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x)
        pixels.at(x, y, 0) = 1, pixels.at(x, y, 1) = 2, pixels.at(x, y, 2) = third;
  };
  fill(0);
  write_image(folder / "zero.pfm", pixels);
  write_image(folder / "zero.npy", pixels);
  EXPECT_TRUE(read_flow(folder / "zero.pfm").confidence.empty());
  EXPECT_FALSE(read_flow(folder / "zero.npy").confidence.empty());
  fill(255);
  write_image(folder / "valid.npy", pixels);
  EXPECT_TRUE(read_flow(folder / "valid.npy").confidence.empty());
  fill(std::numeric_limits<float>::quiet_NaN());
  write_image(folder / "nan.tif", pixels);
  EXPECT_TRUE(read_flow(folder / "nan.tif").confidence.empty());
}

TEST(FlowIo, KittiMarksVectorsOfLittleConfidenceAndOthersOnRequest) {
  const TempFolder folder;
  Image<float> u(4, 1), v(4, 1), confidence(4, 1);
  const float values[] = {0, 0.0009F, 0.0011F, 0.6F};
  for (int x = 0; x < 4; ++x) u.at(x, 0) = v.at(x, 0) = 1, confidence.at(x, 0) = values[x];
  const FlowFieldView field{u, v, {}, confidence};
  const auto known = [&](const std::string& name, const FlowWriteOptions& options) {
    write_flow(folder / name, field, options);
    const FlowField back = read_flow(folder / name);
    std::string text;
    for (int x = 0; x < 4; ++x) text += back.known.at(x, 0) != 0 ? '1' : '0';
    return text;
  };
  EXPECT_EQ(known("a.png", {}), "0011");
  EXPECT_EQ(known("a.png", {.least_confidence = 0}), "1111");
  EXPECT_EQ(known("a.png", {.least_confidence = 0.5}), "0001");
  for (const char* name : {"a.flo", "a.npy", "a.pfm", "a.tif"}) {
    EXPECT_EQ(known(name, {}), "1111") << name;
    EXPECT_EQ(known(name, {.least_confidence = 0.5}), "0001") << name;
  }
  EXPECT_THROW(write_flow(folder / "a.png", field, {.least_confidence = 1.5}), InvalidArgument);
  Image<float> other(3, 1);
  EXPECT_THROW(write_flow(folder / "b.npy", {u, v, {}, other}), InvalidArgument);
}

TEST(FlowIo, WithoutAKnownPlaneEverythingIsKnown) {
  const TempFolder folder;
  const FlowField field = sample_field(5, 3);
  write_flow(folder / "a.flo", {field.u, field.v});
  const FlowField back = read_flow(folder / "a.flo");
  EXPECT_TRUE(images_equal(back.u, field.u));
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_EQ(back.known.at(x, y), 255);
}

TEST(FlowIo, ReadsTheBytesThatMiddleburySpecifies) {
  const FlowField field = parse(flo(2, 1, floats({1.5F, -2, 1666666752, 0})));
  EXPECT_EQ(field.width(), 2);
  EXPECT_EQ(field.height(), 1);
  EXPECT_EQ(field.u.at(0, 0), 1.5F);
  EXPECT_EQ(field.v.at(0, 0), -2);
  EXPECT_EQ(field.known.at(0, 0), 255);
  EXPECT_EQ(field.known.at(1, 0), 0);
  EXPECT_EQ(field.u.at(1, 0), 0);
}

TEST(FlowIo, WhatIsNoMotionIsNotKnown) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const FlowField field =
      parse(flo(5, 1, floats({nan, 0, 0, nan, -inf, 1, 3, 1e9F, -1e10F, -1e10F})));
  for (int x = 0; x < 5; ++x) {
    EXPECT_EQ(field.known.at(x, 0), 0) << x;
    EXPECT_EQ(field.u.at(x, 0), 0) << x;
    EXPECT_EQ(field.v.at(x, 0), 0) << x;
  }
}

TEST(FlowIo, WritesTheBytesThatMiddleburySpecifies) {
  const TempFolder folder;
  Image<float> u(2, 1), v(2, 1);
  Image<std::uint8_t> known(2, 1);
  u.at(0, 0) = 0.25F;
  v.at(0, 0) = -3;
  known.at(0, 0) = 1;
  known.at(1, 0) = 0;
  write_flow(folder / "a.flo", {u, v, known});
  EXPECT_EQ(load(folder / "a.flo"), flo(2, 1, floats({0.25F, -3, 1e10F, 1e10F})));
}

TEST(FlowIo, KittiPixelsAreThoseOfItsKit) {
  const TempFolder folder;
  Image<std::uint16_t> pixels(2, 1, 3);
  const std::uint16_t samples[] = {32768 + 64, 32768 - 96, 1, 40000, 40000, 0};
  std::copy(std::begin(samples), std::end(samples), pixels.row(0));
  write_image(folder / "a.png", pixels);
  const FlowField field = read_flow(folder / "a.png");
  EXPECT_EQ(field.u.at(0, 0), 1);
  EXPECT_EQ(field.v.at(0, 0), -1.5F);
  EXPECT_EQ(field.known.at(0, 0), 255);
  EXPECT_EQ(field.known.at(1, 0), 0);
  EXPECT_EQ(field.u.at(1, 0), 0);
}

TEST(FlowIo, TooMuchMotionForAPngIsRefused) {
  const TempFolder folder;
  FlowField field = sample_field(4, 3);
  field.known.at(2, 1) = 255;
  for (const float value : {512.F, -513.F}) {
    field.u.at(2, 1) = value;
    EXPECT_THAT(message_of<InvalidArgument>([&] { write_flow(folder / "a.png", field); }),
                HasSubstr("at (2, 1); a KITTI PNG holds"));
  }
  EXPECT_EQ(folder.files(), 0U);
}

TEST(FlowIo, ReadsEveryLayoutOfAnArray) {
  const TempFolder folder;
  constexpr std::size_t kWidth = 5, kHeight = 4;
  const auto u = [](std::size_t x, std::size_t) { return static_cast<double>(x) - 0.25; };
  const auto v = [](std::size_t x, std::size_t y) { return static_cast<double>(10 * y + x); };
  const auto expect = [&](const std::string& path) {
    const FlowField field = read_flow(path);
    ASSERT_EQ(field.width(), static_cast<int>(kWidth)) << path;
    ASSERT_EQ(field.height(), static_cast<int>(kHeight)) << path;
    for (std::size_t y = 0; y < kHeight; ++y)
      for (std::size_t x = 0; x < kWidth; ++x) {
        const int i = static_cast<int>(x), j = static_cast<int>(y);
        EXPECT_EQ(field.u.at(i, j), u(x, y)) << path;
        EXPECT_EQ(field.v.at(i, j), v(x, y)) << path;
        EXPECT_EQ(field.known.at(i, j), 255) << path;
      }
  };
  const auto write = [&]<class T>(T, const std::string& path, std::size_t channels, bool first) {
    std::vector<T> values(kWidth * kHeight * channels);
    for (std::size_t y = 0; y < kHeight; ++y)
      for (std::size_t x = 0; x < kWidth; ++x)
        for (std::size_t c = 0; c < channels; ++c) {
          const std::size_t pixel = y * kWidth + x;
          values[first ? c * kWidth * kHeight + pixel : pixel * channels + c] =
              static_cast<T>(c == 0   ? u(x, y)
                             : c == 1 ? v(x, y)
                                      : 99);
        }
    const std::size_t last_shape[] = {kHeight, kWidth, channels};
    const std::size_t first_shape[] = {channels, kHeight, kWidth};
    write_array(path, dtype_of<T>(), first ? first_shape : last_shape, values.data());
    expect(path);
  };
  write(float{}, folder / "float_2.npy", 2, false);
  write(float{}, folder / "float_3.npy", 3, false);
  write(float{}, folder / "float_first.npy", 2, true);
  write(double{}, folder / "double_2.npy", 2, false);
  write(double{}, folder / "double_3.npy", 3, false);
  write(double{}, folder / "double_first.npy", 2, true);
}

TEST(FlowIo, DoublesBeyondFloatsAreNotKnown) {
  const TempFolder folder;
  const double values[] = {1e300, 0, 1, -1e40, 2, 3};
  const std::size_t shape[] = {1, 3, 2};
  write_array(folder / "a.npy", DType::kFloat64, shape, values);
  const FlowField field = read_flow(folder / "a.npy");
  EXPECT_EQ(field.known.at(0, 0), 0);
  EXPECT_EQ(field.known.at(1, 0), 0);
  EXPECT_EQ(field.known.at(2, 0), 255);
}

TEST(FlowIo, ANaNIsWrittenAsNotKnown) {
  const TempFolder folder;
  FlowField field = sample_field(4, 3);
  field.known.at(2, 1) = 255;
  field.u.at(2, 1) = std::numeric_limits<float>::quiet_NaN();
  for (const char* name : {"a.flo", "a.png", "a.pfm", "a.npy"}) {
    write_flow(folder / name, field);
    EXPECT_EQ(read_flow(folder / name).known.at(2, 1), 0) << name;
  }
}

TEST(FlowIo, SaysWhatIsWrong) {
  const auto message = [](const std::string& file) {
    const std::string text = message_of<FormatError>([&] { parse(file); });
    EXPECT_TRUE(text.starts_with("x.flo: ")) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
    return text;
  };
  EXPECT_THAT(message(""), HasSubstr("is empty"));
  EXPECT_THAT(message("PIEX\0\0\0\0"s), HasSubstr("begins with 50 49 45 58"));
  EXPECT_THAT(message("PIEH\1\0"s), HasSubstr("is truncated: 6 bytes"));
  EXPECT_THAT(message(flo(0, 5, "")), HasSubstr("says it is 0x5"));
  EXPECT_THAT(message(flo(-7, 5, "")), HasSubstr("says it is -7x5"));
  EXPECT_THAT(message(flo(0x7fffffff, 0x7fffffff, "")), HasSubstr("no image that can be read"));
  EXPECT_THAT(message(flo(65536, 65536, floats({1, 2}))), test::says("65536x65536", "34359738368"));
  EXPECT_THAT(message(flo(1, 1, floats({1}))), HasSubstr("is truncated"));
  EXPECT_THAT(message(flo(1, 1, floats({1, 2, 3}))), HasSubstr("is too long"));
}

TEST(FlowIo, ImagesThatAreNoFlowAreRefused) {
  const TempFolder folder;
  write_image(folder / "a.png", Image<std::uint8_t>(3, 2, 3));
  write_image(folder / "b.png", Image<std::uint16_t>(3, 2, 1));
  write_image(folder / "a.pfm", Image<float>(3, 2, 1));
  write_image(folder / "a.npy", Image<double>(3, 5, 4));
  write_image(folder / "b.npy", Image<std::uint16_t>(3, 2, 2));
  write_image(folder / "c.npy", Image<float>(3, 2));
  write_image(folder / "a.jpg", Image<std::uint8_t>(8, 8, 3));
  const auto message = [&](const char* name) {
    return message_of<FormatError>([&] { read_flow(folder / name); });
  };
  EXPECT_THAT(message("a.png"), HasSubstr("a PNG of uint8 with 3 channels"));
  EXPECT_THAT(message("b.png"), HasSubstr("a PNG of uint16 with 1 channel"));
  EXPECT_THAT(message("a.pfm"), HasSubstr("PFM of float32 with 1 channel;"));
  EXPECT_THAT(message("a.npy"), HasSubstr("holds float64 of shape (5, 3, 4)"));
  EXPECT_THAT(message("b.npy"), HasSubstr("holds uint16 of shape (2, 3, 2)"));
  EXPECT_THAT(message("c.npy"), HasSubstr("holds float32 of shape (2, 3)"));
  EXPECT_THAT(message("a.jpg"), HasSubstr("as no flow field does"));
  EXPECT_THROW(read_flow(folder / "none.flo"), IoError);
}

TEST(FlowIo, FieldsThatCannotBeWrittenAreRefused) {
  const TempFolder folder;
  const FlowField field = sample_field(4, 3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_flow(folder / "a.jpg", field); }),
              HasSubstr("extension '.jpg' names no flow field"));
  EXPECT_THROW(write_flow(folder / "a.flo", {field.u, Image<float>(3, 3)}), InvalidArgument);
  EXPECT_THROW(write_flow(folder / "a.flo", {Image<float>(), Image<float>()}), InvalidArgument);
  EXPECT_THROW(write_flow(folder / "a.flo", {field.u, field.v, Image<std::uint8_t>(1, 1)}),
               InvalidArgument);
  EXPECT_EQ(folder.files(), 0U);
}

// Files cut anywhere or with any byte changed give a field or one line.
TEST(FlowIo, SurvivesHostileFiles) {
  const TempFolder folder;
  for (const char* name : {"a.flo", "a.png", "a.pfm", "a.npy"}) {
    write_flow(folder / name, sample_field(3, 2));
    std::string file = load(folder / name);
    for (std::size_t length = 0; length < file.size(); ++length)
      message_of<FormatError>([&] { parse(file.substr(0, length)); });
    for (char& byte : file) {
      const char kept = byte;
      for (const char value : {'\0', '\xff', '\x80', static_cast<char>(kept ^ 1)}) {
        byte = value;
        message_of<FormatError>([&] { parse(file); });
      }
      byte = kept;
    }
  }
}

}  // namespace
}  // namespace fovea::io
