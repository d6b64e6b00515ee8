#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/stream.h>
#include <gtest/gtest.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

TEST(Stream, IsNothingOnTheCpu) {
  EXPECT_EQ(Stream().get(), nullptr);
  EXPECT_EQ(Stream(Device::cpu()).get(), nullptr);
}

TEST(Stream, CarriesCopiesOnAGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Device device = resolve({});
  Stream stream(device), other(device);
  EXPECT_NE(stream.get(), other.get());
  Random random(4);
  const auto image = test::random_image<std::uint8_t>(random, 37, 21, 3);
  Image<std::uint8_t> there(37, 21, 3, Memory::kCuda), back(37, 21, 3);
  const Stream moved = std::move(stream);
  const Exec exec{.device = device, .stream = moved.get()};
  copy(image.view(), there.view(), exec);
  copy(there.view(), back.view(), exec);
  EXPECT_TRUE(test::images_equal(back.view(), image.view()));
}

TEST(Stream, WaitsForAnother) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Device device = resolve({});
  const Stream busy(device), waiting(device);
  Random random(4);
  constexpr int kSide = 4096;
  const auto image = test::random_image<std::uint8_t>(random, kSide, kSide, 1);
  const auto there = clone(image.view(), Memory::kCuda);
  Image<std::uint8_t> between(kSide, kSide, 1, Memory::kCuda), last(kSide, kSide, 1, Memory::kCuda);
  copy(test::random_image<std::uint8_t>(random, kSide, kSide, 1).view(), between.view());
  const Exec first{.device = device, .stream = busy.get()},
      second{.device = device, .stream = waiting.get()};
  for (int i = 0; i < 200; ++i) copy(there.view(), last.view(), first);  // some milliseconds
  copy(there.view(), between.view(), first);
  waiting.wait_for(busy.get());
  copy(std::as_const(between).view(), last.view(), second);
  waiting.synchronize();
  EXPECT_TRUE(test::images_equal(clone(last.view()).view(), image.view()));
}

}  // namespace
}  // namespace fovea
