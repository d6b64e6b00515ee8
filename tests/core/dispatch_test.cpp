#include "core/dispatch.h"

#include <fovea/error.h>
#include <fovea/image.h>

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
  }
}

TEST(Dispatch, DeviceDataTakesAutoToTheGpu) {
  if (cuda_absence().empty()) {
    EXPECT_TRUE(on_cuda(resolve_exec("op", {}, {Memory::kCuda})));
  } else {
    EXPECT_THROW(resolve_exec("op", {}, {Memory::kCuda}), DeviceError);
  }
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
