#include "core/dispatch.h"

#include <fovea/core/error.h>
#include <fovea/core/image.h>
#include <gmock/gmock.h>

#include "core/backend.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea::detail {
namespace {

TEST(Dispatch, HostDataOnTheCpuRunsThere) {
  const Exec exec = resolve_exec("op", {.device = Device::cpu()}, {Memory::kHost, Memory::kHost});
  EXPECT_FALSE(on_cuda(exec));
}

TEST(Dispatch, DeviceDataOnTheCpuIsRefused) {
  try {
    resolve_exec("op", {.device = Device::cpu()}, {Memory::kHost, Memory::kCuda});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("op: "));
    EXPECT_THAT(error.what(), testing::HasSubstr("clone()"));
  }
}

TEST(Dispatch, DeviceDataTakesAutoToTheGpu) {
  if (cuda_absence().empty()) {
    EXPECT_TRUE(on_cuda(resolve_exec("op", {}, {Memory::kCuda})));
  } else {
    EXPECT_THROW(resolve_exec("op", {}, {Memory::kCuda}), DeviceError);
  }
}

std::string refusal(const Placement& image) {
  try {
    resolve_exec("op", {.device = Device::cpu()}, {image});
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Dispatch, RowsThatOverlapAreRefused) {
  Image<float> image(3, 4, 2);
  ImageView<float> view = image;
  EXPECT_NO_THROW(resolve_exec("op", {.device = Device::cpu()}, {view, image.view()}));
  for (const std::ptrdiff_t stride : {0, 5, -5}) {
    view.stride = stride;
    EXPECT_THAT(refusal(view),
                testing::StartsWith("op: an image of 3x4x2 has rows of 6 elements that lie " +
                                    std::to_string(stride) + " apart"));
  }
  view.height = 1;  // a single row has no next one
  EXPECT_NO_THROW(resolve_exec("op", {.device = Device::cpu()}, {view}));
}

TEST(Dispatch, RowsLongerThanAnIntCountsAreRefused) {
  const ImageView<float> view{nullptr, 1 << 30, 1, 4, std::ptrdiff_t{1} << 32, Memory::kHost};
  EXPECT_THAT(refusal(view), testing::StartsWith("op: a row of 4294967296 elements is too long"));
}

TEST(Dispatch, HostDataSaidToLieOnTheGpuIsRefused) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Image<float> image(3, 4);
  ImageView<float> view = image;
  view.memory = Memory::kCuda;
  EXPECT_THROW(resolve_exec("op", {}, {view}), InvalidArgument);
}

TEST(Dispatch, DataDecidesWhichGpuAutoTakes) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const int gpus = static_cast<int>(devices().size()) - 1;
  for (int i = 0; i < gpus; ++i) {
    const cuda::ScopedDevice current(Device::cuda(i));
    const Image<float> image(3, 4, 1, Memory::kCuda);
    EXPECT_EQ(resolve_exec("op", {}, {image.view()}).device, Device::cuda(i));
    if (gpus > 1) {
      const Exec other{.device = Device::cuda((i + 1) % gpus)};
      EXPECT_THROW(resolve_exec("op", other, {image.view()}), InvalidArgument);
    }
  }
}

TEST(Dispatch, DataOnAGpuIsRefusedOnAnotherGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<float> image(3, 4, 1, Memory::kCuda);
  EXPECT_EQ(
      test::message_of([&] { resolve_exec("op", {.device = Device::cuda(1)}, {image.view()}); }),
      "op: the data lies on cuda:0, but the device is cuda:1; choose cuda:0");
}

TEST(Dispatch, AnObjectThatChoseAnotherGpuSaysSo) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<float> image(3, 4, 1, Memory::kCuda);
  EXPECT_NO_THROW(require_chosen("op", {.device = Device::cuda(0)}, {}, {image.view()}));
  EXPECT_THAT(test::message_of(
                  [&] { require_chosen("op", {.device = Device::cuda(1)}, {}, {image.view()}); }),
              test::says("op: ", "on cuda:0", "auto chose cuda:1", "with device cuda:0"));
  EXPECT_THAT(test::message_of([&] {
                require_chosen("op", {.device = Device::cuda(1)}, Device::cuda(1), {image.view()});
              }),
              test::says("op: ", "on cuda:0", "device cuda:1", "ask for cuda:0"));
}

TEST(Dispatch, WorkOfTheCpuKeepsTheRuleForDataOnAGpu) {
  const Image<float> image(3, 4);
  const Exec on_cpu{.device = Device::cpu()};
  EXPECT_EQ(resolve_host_exec("op", on_cpu, {image.view()}).device, Device::cpu());
  EXPECT_THAT(test::message_of([&] { resolve_host_exec("op", on_cpu, {Memory::kCuda}); }),
              test::says("op: ", "GPU memory", "device is cpu", "clone()"));
}

TEST(Dispatch, WhatOnlyTheCpuWorksOnLiesInHostMemory) {
  EXPECT_NO_THROW(require_host("op", "the mask", Memory::kHost));
  EXPECT_NO_THROW(require_host("op", "the mask", Memory::kPinned));
  EXPECT_THAT(test::message_of([] { require_host("op", "the mask", Memory::kCuda); }),
              test::says("op: the mask", "GPU memory", "expected host memory", "clone()"));
}

TEST(Dispatch, WrongShapeNamesBoth) {
  Image<float> image(3, 4, 2);
  EXPECT_NO_THROW(require_shape("op", "out", image.view(), 3, 4, 2));
  try {
    require_shape("op", "out", image.view(), 5, 4, 2);
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "op: out is 3x4x2 (width x height x channels), expected 5x4x2");
  }
}

}  // namespace
}  // namespace fovea::detail
