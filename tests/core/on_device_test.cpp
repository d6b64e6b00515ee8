#include <fovea/core/error.h>
#include <fovea/core/exec.h>
#include <fovea/ops/gradient.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

// Inputs and outputs may lie in any memory, each in another one: the result is the same.
TEST(OnDevice, MixedMemoriesGiveOneResult) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(1);
  const auto host = test::random_image<float>(random, 131, 67, 2);
  Image<float> expected_dx(131, 67, 2), expected_dy(131, 67, 2);
  gradient(host, expected_dx, expected_dy, {.exec = {.device = Device::cpu()}});
  for (const Memory in : {Memory::kHost, Memory::kPinned, Memory::kCuda}) {
    for (const Memory out : {Memory::kHost, Memory::kPinned, Memory::kCuda}) {
      const auto image = clone(host, in);
      Image<float> dx(131, 67, 2, out), dy(131, 67, 2, Memory::kHost);
      gradient(image, dx, dy, {.exec = {.device = Device::cuda()}});
      EXPECT_TRUE(test::images_equal(clone(dx), expected_dx));
      EXPECT_TRUE(test::images_equal(dy, expected_dy));
    }
  }
}

TEST(OnDevice, StoppedCallsDoNotStart) {
  FOVEA_SKIP_WITHOUT_CUDA();
  std::stop_source source;
  source.request_stop();
  Image<float> image(8, 8), dx(8, 8), dy(8, 8);
  EXPECT_THROW(
      gradient(image, dx, dy, {.exec = {.device = Device::cuda(), .stop = source.get_token()}}),
      Cancelled);
}

}  // namespace
}  // namespace fovea
