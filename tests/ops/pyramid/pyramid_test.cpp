// Covers: gaussian_halve
#include <fovea/core/error.h>
#include <fovea/ops/pyramid.h>
#include <fovea/ops/resize.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/pyramid.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea {
namespace {

using test::message_of;
using test::random_image;

class PyramidOn : public test::OnEveryPlace {
 protected:
  Exec exec() const { return {.device = device()}; }
};
FOVEA_ON_EVERY_PLACE(PyramidOn);

template <class T>
void compare_halving(const Exec& exec) {
  Random random(51);
  for (int round = 0; round < 40; ++round) {
    auto [width, height] = test::random_size(random);
    if (round % 8 == 0) width = 1 + round / 8;
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto image = random_image<T>(random, width, height, channels);
    Image<T> out((width + 1) / 2, (height + 1) / 2, channels);
    gaussian_halve(image, out, exec);
    for (int y = 0; y < out.height(); ++y)
      for (int x = 0; x < out.width(); ++x)
        for (int c = 0; c < channels; ++c) {
          const double expected = reference::halved_at(image.view(), x, y, c);
          if constexpr (sizeof(T) == 1) {
            ASSERT_EQ(out.at(x, y, c), static_cast<int>(std::floor(expected + 0.5)));
          } else {
            ASSERT_NEAR(out.at(x, y, c), expected, 1e-6);
          }
        }
  }
}
TEST_P(PyramidOn, HalvingEqualsTextbookLoopForBytes) { compare_halving<std::uint8_t>(exec()); }
TEST_P(PyramidOn, HalvingEqualsTextbookLoopForFloats) { compare_halving<float>(exec()); }

TEST_P(PyramidOn, HalvingACropIsLikeHalvingItsCopy) {
  Random random(52);
  const auto image = random_image<std::uint8_t>(random, 90, 70, 3);
  const auto crop = image.view().crop(13, 9, 41, 37);
  Image<std::uint8_t> from_crop(21, 19, 3), from_copy(21, 19, 3);
  gaussian_halve(crop, from_crop, exec());
  gaussian_halve(clone(crop), from_copy, exec());
  EXPECT_TRUE(test::images_equal(from_crop, from_copy));
}

template <class T>
void expect_levels_are_resizes(const Exec& exec) {
  Random random(53);
  const auto image = random_image<T>(random, 97, 61, 2);
  for (const auto source : {PyramidSource::kOriginal, PyramidSource::kPrevious})
    for (const auto filter : {PyramidFilter::kBilinear, PyramidFilter::kTriangle}) {
      Pyramid<T> pyramid(
          {.filter = filter, .source = source, .ratio = 1.3, .min_size = {9, 5}, .exec = exec});
      pyramid.build(image);
      ASSERT_GT(pyramid.levels(), 5);
      EXPECT_EQ(pyramid.level(0).data, image.view().data);
      for (int i = 1; i < pyramid.levels(); ++i) {
        const auto level = pyramid.level(i);
        Image<T> alone(level.width, level.height, 2);
        resize(source == PyramidSource::kOriginal ? image.view() : pyramid.level(i - 1),
               alone.view(), {.antialias = filter == PyramidFilter::kTriangle, .exec = exec});
        EXPECT_TRUE(test::images_equal(level, alone.view()));
      }
    }
}
TEST_P(PyramidOn, LevelsAreResizes) {
  expect_levels_are_resizes<std::uint8_t>(exec());
  expect_levels_are_resizes<float>(exec());
}

TEST_P(PyramidOn, GaussianLevelsAreHalvings) {
  Random random(54);
  const auto image = random_image<float>(random, 133, 70, 3);
  Pyramid<float> pyramid({.filter = PyramidFilter::kGaussian, .min_size = {4, 4}, .exec = exec()});
  pyramid.build(image);
  ASSERT_EQ(pyramid.levels(), 5);
  for (int i = 1; i < pyramid.levels(); ++i) {
    const auto level = pyramid.level(i);
    Image<float> alone(level.width, level.height, 3);
    gaussian_halve(pyramid.level(i - 1), alone, exec());
    EXPECT_TRUE(test::images_equal(level, alone.view()));
  }
}

TEST_P(PyramidOn, MoreLevelsThanALaunchDescribes) {
  Random random(55);
  const auto image = random_image<std::uint8_t>(random, 400, 300);
  Pyramid<std::uint8_t> pyramid({.ratio = 1.05, .min_size = {8, 8}, .exec = exec()});
  pyramid.build(image);
  ASSERT_GT(pyramid.levels(), 64);
  for (int i = 1; i < pyramid.levels(); ++i) {
    const auto level = pyramid.level(i);
    Image<std::uint8_t> alone(level.width, level.height);
    resize(image.view(), alone.view(), {.exec = exec()});
    ASSERT_TRUE(test::images_equal(level, alone.view())) << "level " << i;
  }
}

TEST_P(PyramidOn, KeepsItsMemoryFromImageToImage) {
  Random random(56);
  Pyramid<std::uint8_t> pyramid({.exec = exec()});
  pyramid.build(random_image<std::uint8_t>(random, 128, 96));
  const auto* first = pyramid.level(1).data;
  pyramid.build(random_image<std::uint8_t>(random, 100, 96));
  EXPECT_EQ(pyramid.level(1).data, first);
  EXPECT_EQ(pyramid.level(1).width, 50);
  const auto large = random_image<std::uint8_t>(random, 256, 196, 3);
  pyramid.build(large);
  EXPECT_EQ(pyramid.level(1).channels, 3);
  Image<std::uint8_t> half(128, 98, 3);
  resize(large, half, {.exec = exec()});
  EXPECT_TRUE(test::images_equal(pyramid.level(1), half.view()));
}

TEST(PyramidSizes, RoundToNearestAndStopAtTheLeast) {
  using Sizes = std::vector<Extent>;
  EXPECT_EQ(pyramid_sizes(100, 75, {.levels = 3}), (Sizes{{100, 75}, {50, 38}, {25, 19}}));
  EXPECT_EQ(pyramid_sizes(100, 75, {.min_size = {30, 1}}), (Sizes{{100, 75}, {50, 38}}));
  EXPECT_EQ(pyramid_sizes(100, 75, {.ratio = 3, .min_size = {1, 8}}),
            (Sizes{{100, 75}, {33, 25}, {11, 8}}));
  EXPECT_EQ(pyramid_sizes(5, 5, {}), (Sizes{{5, 5}}));
  EXPECT_EQ(pyramid_sizes(9, 5, {.filter = PyramidFilter::kGaussian, .min_size = {1, 1}}),
            (Sizes{{9, 5}, {5, 3}, {3, 2}, {2, 1}, {1, 1}}));
  // 10 / 1.04 rounds to 10 for ever.
  EXPECT_EQ(pyramid_sizes(10, 10,
                          {.source = PyramidSource::kPrevious, .ratio = 1.04, .min_size = {1, 1}}),
            (Sizes{{10, 10}}));
}

TEST(PyramidThreads, DoNotChangeTheResult) {
  Random random(57);
  const auto image = random_image<float>(random, 303, 401, 3);
  Image<float> one(152, 201, 3), many(152, 201, 3);
  gaussian_halve(image, one, {.device = Device::cpu(), .threads = 1});
  for (const int threads : {2, 7}) {
    gaussian_halve(image, many, {.device = Device::cpu(), .threads = threads});
    EXPECT_TRUE(test::images_equal(one, many));
  }
}

template <class T>
void expect_parity(PyramidFilter filter) {
  Random random(58);
  const auto image = random_image<T>(random, 641, 479, 3);
  Pyramid<T> cpu({.filter = filter, .exec = {.device = Device::cpu()}});
  Pyramid<T> from_host({.filter = filter, .exec = {.device = Device::cuda()}}, Memory::kCuda);
  Pyramid<T> on_device({.filter = filter}, Memory::kCuda);
  cpu.build(image);
  from_host.build(image);
  const auto device_image = clone(image, Memory::kCuda);
  on_device.build(device_image);
  ASSERT_EQ(cpu.levels(), on_device.levels());
  for (int i = 0; i < cpu.levels(); ++i) {
    EXPECT_TRUE(test::images_equal(cpu.level(i), clone(on_device.level(i)).view()));
    EXPECT_TRUE(test::images_equal(cpu.level(i), clone(from_host.level(i)).view()));
  }
}
TEST(PyramidParity, CudaEqualsCpuAndStaysOnTheDevice) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const auto filter :
       {PyramidFilter::kBilinear, PyramidFilter::kTriangle, PyramidFilter::kGaussian}) {
    expect_parity<std::uint8_t>(filter);
    expect_parity<float>(filter);
  }
}

TEST(PyramidError, NamesSizesAndRatio) {
  using testing::AllOf;
  using testing::HasSubstr;
  Image<float> image(9, 6), wrong(4, 3), none;
  EXPECT_THAT(message_of([&] { gaussian_halve(image, wrong); }),
              AllOf(HasSubstr("4x3"), HasSubstr("5x3")));
  EXPECT_THAT(message_of([] { Pyramid<float>({.ratio = 1}); }), HasSubstr("ratio"));
  EXPECT_THAT(
      message_of([] { Pyramid<float>({.filter = PyramidFilter::kGaussian, .ratio = 1.5}); }),
      AllOf(HasSubstr("1.5"), HasSubstr("gaussian")));
  EXPECT_THAT(message_of([&] { Pyramid<float>({.exec = {.device = Device::cpu()}}).build(none); }),
              HasSubstr("0x0"));
}

}  // namespace
}  // namespace fovea
