#include "flow/flow_gray.h"

#include <gtest/gtest.h>

#include <limits>

#include "flow/parity.h"
#include "support/devices.h"

namespace fovea::flow {
namespace {

// A ramp from `low` to `high`.
template <class T>
Image<T> ramp(double low, double high) {
  Image<T> image(256, 40);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 256; ++x) image.at(x, y) = static_cast<T>(low + (high - low) * x / 255);
  return image;
}

TEST(FlowGray, TheRangeOfAnyTypeBecomesGrayLevels) {
  const auto expect = [](const auto& image, float low, float high) {
    const GrayRange range = cpu::gray_range(image.view(), {}, Exec{});
    EXPECT_NEAR(range.low, low, 0.01F * (high - low));
    EXPECT_NEAR(range.scale * (high - low), 255, 3);
  };
  expect(ramp<std::uint8_t>(20, 120), 20, 120);
  expect(ramp<std::uint16_t>(1000, 41000), 1000, 41000);
  expect(ramp<float>(-0.5, 0.5), -0.5F, 0.5F);
}

TEST(FlowGray, FewOutliersWhatIsMaskedAndNaNDoNotCount) {
  auto image = ramp<float>(0, 1);
  const GrayRange clean = cpu::gray_range(std::as_const(image).view(), {}, Exec{});
  image.at(3, 3) = std::numeric_limits<float>::quiet_NaN();
  image.at(9, 9) = 2;
  const GrayRange few = cpu::gray_range(std::as_const(image).view(), {}, Exec{});
  EXPECT_NEAR(few.low, clean.low, 0.01F);
  EXPECT_NEAR(few.scale, clean.scale, 3);
  Image<std::uint8_t> mask(256, 40);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 256; ++x) mask.at(x, y) = x < 128 ? 1 : 0;
  const GrayRange half = cpu::gray_range(std::as_const(image).view(), mask.view(), Exec{});
  EXPECT_NEAR(half.scale, 2 * clean.scale, 12);
}

TEST(FlowGray, AConstantImageIsBlack) {
  const auto image = ramp<float>(7, 7);
  const GrayRange range = cpu::gray_range(image.view(), {}, Exec{});
  EXPECT_EQ(range.scale, 0);
  Image<float> gray(256, 40);
  cpu::to_gray(image.view(), range, gray.view(), Exec{});
  EXPECT_EQ(gray.at(100, 20), 0);
}

TEST(FlowGray, RangesBelowAndBeyondFloatsAreDefined) {
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  constexpr float kMost = std::numeric_limits<float>::max();
  for (const auto& [low, high] : {std::pair{0.0F, 8 * kLeast}, {-kMost, kMost}, {0.0F, kMost}}) {
    const auto image = ramp<float>(low, high);
    const GrayRange range = cpu::gray_range(image.view(), {}, Exec{});
    Image<float> gray(256, 40);
    cpu::to_gray(image.view(), range, gray.view(), Exec{});
    for (int x = 0; x < 256; ++x) EXPECT_TRUE(gray.at(x, 7) >= 0 && gray.at(x, 7) <= 255) << x;
  }
  EXPECT_EQ(gray_bin(1, 1, std::numeric_limits<float>::infinity()), 0);
  EXPECT_EQ(gray_bin(2, 1, std::numeric_limits<float>::infinity()), kGrayBins - 1);
}

TEST(FlowGray, TheTwinsAgree) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Exec on_gpu{.device = Device::cuda()};
  for (const int channels : {1, 3, 4}) {
    const auto image = parity::picture<std::uint16_t>(301, 203, channels, 0);
    const auto there = clone(image, Memory::kCuda);
    const auto mask = parity::holes(301, 203);
    EXPECT_EQ(cpu::gray_range(image.view(), {}, Exec{}),
              cuda::gray_range(std::as_const(there).view(), {}, on_gpu));
    const GrayRange range = cpu::gray_range(image.view(), mask.view(), Exec{});
    EXPECT_EQ(range, cuda::gray_range(std::as_const(there).view(), mask.view(), on_gpu));
    const GrayRange own = cpu::gray_range(image.view(), {}, Exec{});
    Image<float> gray(301, 203), gray_there(301, 203, 1, Memory::kCuda);
    cpu::to_gray(image.view(), own, gray.view(), Exec{});
    cuda::to_gray(std::as_const(there).view(), gray_there.view(), on_gpu);
    parity::expect_equal(gray, clone(gray_there), "gray");
  }
}

}  // namespace
}  // namespace fovea::flow
