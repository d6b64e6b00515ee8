// Covers: area, area_taps, halve, resize_plan
#include <fovea/core/error.h>
#include <fovea/ops/resize.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/resize/resize_math.h"
#include "reference/resize.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea {
namespace {

using test::message_of;
using test::random_image;

class Resize : public test::OnEveryPlace {
 protected:
  ResizeOptions options(bool antialias = false) const {
    return {.antialias = antialias, .exec = {.device = device()}};
  }
};
FOVEA_ON_EVERY_PLACE(Resize);

// Sizes of a source and of what it becomes: often 1 or near each other, sometimes far apart.
struct Sizes {
  int width, height, out_width, out_height, channels;
};
Sizes random_sizes(Random& random, int most = 70) {
  const auto from = test::random_size(random, most), to = test::random_size(random, most);
  Sizes sizes{from.width, from.height, to.width, to.height, 1 + static_cast<int>(random.below(4))};
  if (random.below(4) == 0) sizes.width = 1 + static_cast<int>(random.below(3));
  if (random.below(4) == 0) sizes.out_height = sizes.height * 2;
  if (random.below(4) == 0) sizes.out_width = (sizes.width + 1) / 2;
  if (random.below(6) == 0) {  // exactly one half
    sizes.width = 2 * sizes.out_width;
    sizes.height = 2 * sizes.out_height;
  }
  return sizes;
}

template <class T>
void expect_textbook(ImageView<const T> image, ImageView<const T> out, bool antialias,
                     double tolerance) {
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      for (int c = 0; c < out.channels; ++c) {
        const auto place = reference::resize_place(image.width, image.height, out.width, out.height,
                                                   x, y, antialias);
        ASSERT_NEAR(static_cast<double>(out.at(x, y, c)), reference::resized_at(image, place, c),
                    tolerance)
            << detail::shape_text(image) << " to " << detail::shape_text(out) << " at " << x << ' '
            << y << ' ' << c;
      }
}

template <class T>
void compare_with_textbook(const ResizeOptions& options, double tolerance) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const Sizes s = random_sizes(random, options.antialias ? 30 : 70);
    const auto image = random_image<T>(random, s.width, s.height, s.channels);
    Image<T> out(s.out_width, s.out_height, s.channels);
    resize(image, out, options);
    ASSERT_NO_FATAL_FAILURE(expect_textbook<T>(image, out.view(), options.antialias, tolerance));
  }
}

TEST_P(Resize, EqualsTextbookLoopForBytes) { compare_with_textbook<std::uint8_t>(options(), 0.53); }
TEST_P(Resize, EqualsTextbookLoopForShorts) {
  compare_with_textbook<std::uint16_t>(options(), 0.52);
}
TEST_P(Resize, EqualsTextbookLoopForFloats) { compare_with_textbook<float>(options(), 1e-6); }
TEST_P(Resize, AntialiasEqualsTextbookLoopForBytes) {
  compare_with_textbook<std::uint8_t>(options(true), 0.501);
}
TEST_P(Resize, AntialiasEqualsTextbookLoopForShorts) {
  compare_with_textbook<std::uint16_t>(options(true), 0.52);
}
TEST_P(Resize, AntialiasEqualsTextbookLoopForFloats) {
  compare_with_textbook<float>(options(true), 2e-6);
}

// One element by the shared arithmetic, without the branch for exactly one half.
template <class T>
T blended(ImageView<const T> image, ImageView<const T> out, int x, int y, int c) {
  using Bilinear = detail::Bilinear<T>;
  const int channels = image.channels;
  const auto tx = Bilinear::tap(x, static_cast<double>(image.width) / out.width, image.width);
  const auto ty = Bilinear::tap(y, static_cast<double>(image.height) / out.height, image.height);
  return Bilinear::sample(image.row(ty.index), image.row(Bilinear::next(ty, image.height)),
                          tx.index * channels + c, Bilinear::next(tx, image.width) * channels + c,
                          tx, ty);
}
template <class T>
T mean_at(ImageView<const T> image, int x, int y, int c) {
  return detail::mean_of_four(image.at(2 * x, 2 * y, c), image.at(2 * x + 1, 2 * y, c),
                              image.at(2 * x, 2 * y + 1, c), image.at(2 * x + 1, 2 * y + 1, c));
}

template <class T>
void expect_equal_to_shared(ImageView<const T> image, ImageView<const T> out) {
  const bool half = detail::is_half(image, out);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      for (int c = 0; c < out.channels; ++c)
        ASSERT_EQ(out.at(x, y, c),
                  half ? mean_at<T>(image, x, y, c) : blended<T>(image, out, x, y, c))
            << detail::shape_text(image) << " to " << detail::shape_text(out) << " at " << x << ' '
            << y << ' ' << c;
}

// What the vectors compute is the shared arithmetic, to the bit.
template <class T>
void expect_shared_arithmetic(const ResizeOptions& options) {
  Random random(12);
  for (int round = 0; round < 60; ++round) {
    const Sizes s = random_sizes(random, round % 6 == 0 ? 700 : 70);
    const auto image = random_image<T>(random, s.width, s.height, s.channels);
    Image<T> out(s.out_width, s.out_height, s.channels);
    resize(image, out, options);
    ASSERT_NO_FATAL_FAILURE(expect_equal_to_shared<T>(image, out.view()));
  }
}
TEST_P(Resize, IsTheSharedArithmeticForBytes) { expect_shared_arithmetic<std::uint8_t>(options()); }
TEST_P(Resize, IsTheSharedArithmeticForShorts) {
  expect_shared_arithmetic<std::uint16_t>(options());
}
TEST_P(Resize, IsTheSharedArithmeticForFloats) { expect_shared_arithmetic<float>(options()); }

template <class T>
void expect_identity(const ResizeOptions& options) {
  Random random(13);
  for (int channels = 1; channels <= 4; ++channels) {
    const auto image = random_image<T>(random, 37, 23, channels);
    Image<T> out(37, 23, channels);
    resize(image, out, options);
    EXPECT_TRUE(test::images_equal(image, out));
  }
}
TEST_P(Resize, SameSizeChangesNothing) {
  for (const bool antialias : {false, true}) {
    expect_identity<std::uint8_t>(options(antialias));
    expect_identity<std::uint16_t>(options(antialias));
    expect_identity<float>(options(antialias));
  }
}

TEST_P(Resize, ConstantStaysConstant) {
  Image<std::uint8_t> bytes(61, 17, 3);
  for (int y = 0; y < 17; ++y) std::fill_n(bytes.row(y), 61 * 3, std::uint8_t{255});
  Image<std::uint16_t> shorts(61, 17);
  for (int y = 0; y < 17; ++y) std::fill_n(shorts.row(y), 61, std::uint16_t{65535});
  for (const bool antialias : {false, true})
    for (const auto& [width, height] : {test::Size{7, 5}, {130, 40}, {40, 9}, {1, 1}}) {
      Image<std::uint8_t> out(width, height, 3);
      resize(bytes, out, options(antialias));
      for (int y = 0; y < height; ++y)
        for (int i = 0; i < width * 3; ++i) ASSERT_EQ(out.row(y)[i], 255);
      Image<std::uint16_t> out16(width, height);
      resize(shorts, out16, options(antialias));
      for (int y = 0; y < height; ++y)
        for (int i = 0; i < width; ++i) ASSERT_EQ(out16.row(y)[i], 65535);
    }
}

TEST_P(Resize, RampStaysARamp) {
  Image<float> ramp(64, 48), out(96, 30);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) ramp.at(x, y) = 3.0F * x - 2.0F * y;
  resize(ramp, out, options());
  for (int y = 1; y < 29; ++y)
    for (int x = 1; x < 95; ++x) {
      const double expected = 3 * ((x + 0.5) * 64 / 96 - 0.5) - 2 * ((y + 0.5) * 48 / 30 - 0.5);
      ASSERT_NEAR(out.at(x, y), expected, 1e-4);
    }
}

// Every width up to a few vectors, cut out of larger images, which must stay as they are around it.
template <class T>
void expect_halves(const ResizeOptions& options) {
  Random random(14);
  for (int channels = 1; channels <= 4; ++channels)
    for (int width = 1; width <= 70; ++width) {
      const auto image = random_image<T>(random, 2 * width + 3, 13, channels);
      const auto before = random_image<T>(random, width + 2, 7, channels);
      auto after = clone(before);
      const auto from = image.view().crop(1 + width % 3, 2, 2 * width, 10);
      const auto to = after.view().crop(1, 1, width, 5);
      resize(from, to, options);
      ASSERT_NO_FATAL_FAILURE(expect_equal_to_shared<T>(from, to));
      copy(before.view().crop(1, 1, width, 5), to);
      ASSERT_TRUE(test::images_equal(after, before)) << "written around " << width;
    }
}
TEST_P(Resize, HalvingTakesTheMeanOfFour) {
  expect_halves<std::uint8_t>(options());
  expect_halves<std::uint16_t>(options());
  expect_halves<float>(options());
}

// Integers have one arithmetic at all ratios; the mean is a quicker way to the same result.
TEST(ResizeMath, MeanOfFourIsTheBlendOfIntegers) {
  Random random(22);
  Image<std::uint8_t> bytes(2, 2), byte(1, 1);
  Image<std::uint16_t> shorts(2, 2), one(1, 1);
  for (int round = 0; round < test::problems(20000); ++round) {
    for (int i = 0; i < 4; ++i) {
      const auto bits = static_cast<std::uint32_t>(random.bits());
      bytes.at(i % 2, i / 2) = static_cast<std::uint8_t>(round % 2 ? bits : 0 - (bits & 1));
      shorts.at(i % 2, i / 2) = static_cast<std::uint16_t>(round % 2 ? bits : 0 - (bits & 1));
    }
    ASSERT_EQ(mean_at<std::uint8_t>(bytes, 0, 0, 0),
              blended<std::uint8_t>(bytes, byte.view(), 0, 0, 0));
    ASSERT_EQ(mean_at<std::uint16_t>(shorts, 0, 0, 0),
              blended<std::uint16_t>(shorts, one.view(), 0, 0, 0));
  }
}

// One pixel off in either direction is an ordinary ratio.
TEST_P(Resize, NearlyHalfIsBlended) {
  Random random(23);
  for (const auto& [width, height] : {test::Size{41, 20}, {39, 20}, {40, 21}, {40, 19}}) {
    const auto image = random_image<float>(random, width, height, 3);
    Image<float> out(20, 10, 3);
    resize(image, out, options());
    ASSERT_NO_FATAL_FAILURE(expect_equal_to_shared<float>(image, out.view()));
  }
}

TEST_P(Resize, CropIsLikeACopyOfIt) {
  Random random(15);
  const auto image = random_image<std::uint8_t>(random, 90, 70, 3);
  const auto crop = image.view().crop(13, 9, 41, 37);
  const auto copied = clone(crop);
  Image<std::uint8_t> from_crop(59, 29, 3), from_copy(59, 29, 3);
  for (const bool antialias : {false, true}) {
    resize(crop, from_crop, options(antialias));
    resize(copied, from_copy, options(antialias));
    EXPECT_TRUE(test::images_equal(from_crop, from_copy));
  }
}

TEST_P(Resize, StackIsLikeItsImages) {
  Random random(16);
  Stack<std::uint16_t> images(31, 22, 5, 2), out(17, 40, 5, 2);
  for (int i = 0; i < 5; ++i) {
    const auto image = random_image<std::uint16_t>(random, 31, 22, 2);
    copy(image.view(), images.plane(i));
  }
  for (const bool antialias : {false, true}) {
    resize(images, out, options(antialias));
    for (int i = 0; i < 5; ++i) {
      Image<std::uint16_t> alone(17, 40, 2);
      resize(std::as_const(images).plane(i), alone.view(), options(antialias));
      EXPECT_TRUE(test::images_equal(out.plane(i), alone.view()));
    }
  }
}

TEST(ResizeThreads, DoNotChangeTheResult) {
  Random random(17);
  const auto bytes = random_image<std::uint8_t>(random, 301, 403, 3);
  const auto floats = random_image<float>(random, 301, 403);
  for (const bool antialias : {false, true}) {
    Image<std::uint8_t> bytes1(200, 283, 3), bytes_n(200, 283, 3);
    Image<float> floats1(200, 283), floats_n(200, 283);
    const auto options = [&](int threads) {
      return ResizeOptions{.antialias = antialias,
                           .exec = {.device = Device::cpu(), .threads = threads}};
    };
    resize(bytes, bytes1, options(1));
    resize(floats, floats1, options(1));
    for (const int threads : {2, 7}) {
      resize(bytes, bytes_n, options(threads));
      resize(floats, floats_n, options(threads));
      EXPECT_TRUE(test::images_equal(bytes1, bytes_n));
      EXPECT_TRUE(test::images_equal(floats1, floats_n));
    }
  }
}

template <class T>
void expect_parity(bool antialias) {
  Random random(18);
  for (int round = 0; round < 30; ++round) {
    const Sizes s = random_sizes(random, 500);
    const auto image = random_image<T>(random, s.width, s.height, s.channels);
    Image<T> cpu(s.out_width, s.out_height, s.channels),
        cuda(s.out_width, s.out_height, s.channels);
    resize(image, cpu, {.antialias = antialias, .exec = {.device = Device::cpu()}});
    resize(image, cuda, {.antialias = antialias, .exec = {.device = Device::cuda()}});
    ASSERT_TRUE(test::images_equal(cpu, cuda));
  }
}
TEST(ResizeParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool antialias : {false, true}) {
    expect_parity<std::uint8_t>(antialias);
    expect_parity<std::uint16_t>(antialias);
    expect_parity<float>(antialias);
  }
}

TEST(ResizeParity, DataOnTheDeviceStaysThere) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(19);
  const auto image = random_image<float>(random, 333, 77, 3);
  Image<float> cpu(222, 99, 3), cuda(222, 99, 3, Memory::kCuda);
  const auto on_device = clone(image, Memory::kCuda);
  resize(image.view().crop(5, 6, 300, 70), cpu, {.exec = {.device = Device::cpu()}});
  resize(on_device.view().crop(5, 6, 300, 70), cuda);
  EXPECT_TRUE(test::images_equal(clone(cuda), cpu));
}

TEST(ResizeError, NamesChannelsSizesAndCounts) {
  using testing::AllOf;
  using testing::HasSubstr;
  const ResizeOptions cpu{.exec = {.device = Device::cpu()}};
  Image<float> image(8, 6, 3), gray(4, 4), five(8, 6, 5), five_out(4, 4, 5), none;
  EXPECT_THAT(message_of([&] { resize(image, gray, cpu); }),
              AllOf(HasSubstr("out"), HasSubstr("4x4x1"), HasSubstr("4x4x3")));
  EXPECT_THAT(message_of([&] { resize(five, five_out, cpu); }),
              AllOf(HasSubstr("8x6x5"), HasSubstr("1 to 4")));
  EXPECT_THAT(message_of([&] { resize(none, gray, cpu); }),
              AllOf(HasSubstr("0x0"), HasSubstr("4x4x1")));
  Stack<float> three(8, 6, 3), two(4, 4, 2);
  EXPECT_THAT(message_of([&] { resize(three, two, cpu); }), AllOf(HasSubstr("2"), HasSubstr("3")));
  Image<float> empty(0, 0, 3);
  EXPECT_NO_THROW(resize(image, empty, cpu));
}

TEST(TargetSize, OneSideFollowsFromTheOther) {
  const Extent image{8, 4};
  EXPECT_EQ(target_size(image, {.width = 4}), (Extent{4, 2}));
  EXPECT_EQ(target_size(image, {.height = 8}), (Extent{16, 8}));
  EXPECT_EQ(target_size(image, {.width = 3, .height = 9}), (Extent{3, 9}));
  EXPECT_EQ(target_size(image, {.scale = 0.5}), (Extent{4, 2}));
  EXPECT_EQ(target_size(image, {.scale = 0.01}), (Extent{1, 1}));
}

TEST(TargetSize, BadRequestsAreRefused) {
  const auto both = test::says("resize: ", "width", "height", "scale");
  EXPECT_THAT(message_of([] { target_size({8, 4}, {}); }), both);
  EXPECT_THAT(message_of([] { target_size({8, 4}, {.width = 4, .scale = 2}); }), both);
  EXPECT_THAT(message_of([] { target_size({8, 4}, {.width = -1}); }), testing::HasSubstr("width"));
  EXPECT_THAT(message_of([] { target_size({0, 4}, {.width = 4}); }), testing::HasSubstr("0x4"));
  EXPECT_THAT(message_of([] {
                target_size({1, 4}, {.width = 1 << 19});
              }),
              test::says("2097152", "at most 1048576"));
}

}  // namespace
}  // namespace fovea
