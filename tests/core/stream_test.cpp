#include "core/stream.h"

#include <fovea/core/exec.h>
#include <fovea/core/image.h>

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

}  // namespace
}  // namespace fovea
