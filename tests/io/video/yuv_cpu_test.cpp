// Every instruction set gives the bytes of the reference, for planes of any layout and size.
#include <fovea/io/image_io.h>

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "io/video/yuv.h"
#include "reference/yuv.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;

class YuvRows : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    test::OnEveryPlace::SetUp();
    if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "frames are converted on the CPU";
  }
};

// Planes of exactly the bytes that the format has, so that a sanitizer sees a read behind them.
class RandomPlanes {
 public:
  RandomPlanes(Random& random, const YuvFormat& format) {
    for (std::size_t plane = 0; plane < (format.mono ? 1U : 3U); ++plane) {
      const int width = plane == 0 ? format.width : format.chroma_width();
      const int height = plane == 0 ? format.height : format.chroma_height();
      const auto samples = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
      const auto bytes = static_cast<std::size_t>(format.sample_bytes());
      data_[plane].resize(samples * bytes);
      for (std::uint8_t& byte : data_[plane]) byte = static_cast<std::uint8_t>(random.bits());
      // One stream in four breaks its word and has more bits than it says.
      const auto most = static_cast<unsigned>((1 << format.bits) - 1);
      const bool honest = random.below(4) != 0;
      for (std::size_t i = 0; honest && bytes == 2 && i < samples; ++i)
        data_[plane][2 * i + 1] &= static_cast<std::uint8_t>(most >> 8);
      planes_.data[plane] = data_[plane].data();
      planes_.stride[plane] = static_cast<std::ptrdiff_t>(width) * format.sample_bytes();
    }
  }
  const YuvPlanes& get() const { return planes_; }

 private:
  std::vector<std::uint8_t> data_[3];
  YuvPlanes planes_;
};

YuvFormat random_format(Random& random, int width, int height) {
  constexpr int kShifts[][2] = {{1, 1}, {1, 0}, {0, 0}, {2, 0}, {2, 2}, {0, 1}};
  constexpr int kBits[] = {8, 8, 8, 9, 10, 12, 14, 16};
  constexpr ChromaSiting kSitings[] = {ChromaSiting::kCenter, ChromaSiting::kLeft,
                                       ChromaSiting::kTopLeft};
  constexpr YuvMatrix kMatrices[] = {YuvMatrix::kBt601, YuvMatrix::kBt709, YuvMatrix::kBt2020};
  const auto& shift = kShifts[random.below(6)];
  return {.width = width,
          .height = height,
          .mono = random.below(8) == 0,
          .shift_x = shift[0],
          .shift_y = shift[1],
          .bits = kBits[random.below(8)],
          .siting = kSitings[random.below(3)],
          .matrix = kMatrices[random.below(3)],
          .full_range = random.below(2) == 0};
}

template <class T>
void expect_reference(const YuvFormat& format, const YuvPlanes& planes, int channels) {
  Image<T> expected(format.width, format.height, channels);
  Image<T> got(format.width, format.height, channels);
  reference::from_yuv(format, planes, expected.view());
  from_yuv(format, planes, got.view());
  EXPECT_TRUE(images_equal(expected, got))
      << format.bits << " bits, shifts " << format.shift_x << ' ' << format.shift_y << ", siting "
      << static_cast<int>(format.siting) << ", mono " << format.mono;
}

TEST_P(YuvRows, FramesAreThoseOfTheReference) {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    const auto [width, height] = test::random_size(random, round % 2 == 0 ? 9 : 150);
    const YuvFormat format = random_format(random, width, height);
    const RandomPlanes planes(random, format);
    for (const int channels : {1, 3}) {
      expect_reference<std::uint8_t>(format, planes.get(), channels);
      expect_reference<std::uint16_t>(format, planes.get(), channels);
    }
    if (HasFailure()) return;
  }
}

// Every pair of luma and chroma that bytes can hold, where rounding is most easily lost.
TEST_P(YuvRows, EveryPairOfBytesRoundsAlike) {
  for (const bool full : {false, true}) {
    const YuvFormat format{
        .width = 256, .height = 256, .shift_x = 0, .shift_y = 0, .full_range = full};
    std::vector<std::uint8_t> luma(256 * 256), chroma(256 * 256), other(256 * 256);
    for (std::size_t i = 0; i < luma.size(); ++i) {
      luma[i] = static_cast<std::uint8_t>(i);
      chroma[i] = static_cast<std::uint8_t>(i >> 8);
      other[i] = static_cast<std::uint8_t>(31 * (i >> 8) + 7);
    }
    for (const int channels : {1, 3})
      expect_reference<std::uint8_t>(
          format, {{luma.data(), chroma.data(), other.data()}, {256, 256, 256}}, channels);
  }
}

// One rule for images and videos.
TEST_P(YuvRows, GrayIsThatOfTheImagesOfTheFrames) {
  Random random(14);
  for (int round = 0; round < 60; ++round) {
    const test::Size size = test::random_size(random, 100);
    const int width = size.width, height = size.height;
    const YuvFormat format = random_format(random, width, height);
    const RandomPlanes planes(random, format);
    const auto check = [&]<class T>(T) {
      Image<T> rgb(width, height, 3), gray(width, height, 1), converted(width, height, 1);
      from_yuv(format, planes.get(), rgb.view());
      from_yuv(format, planes.get(), gray.view());
      convert_channels(ImageView<const T>(rgb), converted.view());
      const Image<T> expected = to_gray(ImageView<const T>(rgb));
      EXPECT_TRUE(images_equal(expected, gray)) << format.bits << " bits";
      EXPECT_TRUE(images_equal(expected, converted));
    };
    check(std::uint8_t{});
    check(std::uint16_t{});
    if (HasFailure()) return;
  }
}

TEST_P(YuvRows, PlanesWrittenAreThoseOfTheReference) {
  Random random(12);
  for (int round = 0; round < 200; ++round) {
    const test::Size size = test::random_size(random, 100);
    const int width = size.width, height = size.height;
    YuvFormat format = random_format(random, width, height);
    format.bits = 8;
    const auto image =
        test::random_image<std::uint8_t>(random, width, height, random.below(2) == 0 ? 1 : 3);
    const auto area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    std::vector<std::uint8_t> expected(3 * area, 7), got(3 * area, 7);
    const auto planes = [&](std::vector<std::uint8_t>& data) {
      return MutableYuvPlanes{{data.data(), data.data() + area, data.data() + 2 * area},
                              {width, format.chroma_width(), format.chroma_width()}};
    };
    reference::to_yuv(image.view(), format, planes(expected));
    to_yuv(image.view(), format, planes(got));
    ASSERT_EQ(expected, got) << width << 'x' << height << " shifts " << format.shift_x << ' '
                             << format.shift_y << ", channels " << image.channels();
  }
}

TEST_P(YuvRows, ChannelsAreThoseOfTheReference) {
  Random random(13);
  for (int round = 0; round < 40; ++round) {
    const auto [width, height] = test::random_size(random, 100);
    for (const int from : {1, 2, 3, 4}) {
      for (const int to : {1, 3}) {
        const auto image = test::random_image<std::uint8_t>(random, width, height, from);
        Image<std::uint8_t> expected(width, height, to), got(width, height, to);
        reference::convert_channels(ImageView<const std::uint8_t>(image), expected.view());
        convert_channels(ImageView<const std::uint8_t>(image), got.view());
        ASSERT_TRUE(images_equal(expected, got)) << from << " to " << to;
      }
    }
  }
}

FOVEA_ON_EVERY_PLACE(YuvRows);

}  // namespace
}  // namespace fovea::io
