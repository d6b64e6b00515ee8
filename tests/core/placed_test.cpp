#include "core/placed.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea::detail {
namespace {

TEST(Placed, LeavesHostAndPinnedMemoryWhereItIs) {
  Image<float> image(5, 3);
  Placed<float> placed;
  EXPECT_EQ(placed.bring(std::as_const(image).view(), Memory::kHost, {}).data, image.view().data);
  EXPECT_EQ(placed.bring(std::as_const(image).view(), Memory::kPinned, {}).data, image.view().data);
  EXPECT_EQ(placed.prepare(image.view(), Memory::kHost).data, image.view().data);
  placed.give_back({});
}

TEST(Placed, CarriesToTheDeviceAndBack) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(3);
  const auto image = test::random_image<std::uint8_t>(random, 13, 7, 3);
  const Exec exec{.device = Device::cuda(0)};
  Placed<std::uint8_t> input, output;
  const auto there = input.bring(image.view(), Memory::kCuda, exec);
  EXPECT_EQ(there.memory, Memory::kCuda);
  EXPECT_EQ(input.bring(image.view(), Memory::kCuda, exec).data, there.data);  // memory is kept
  Image<std::uint8_t> back(13, 7, 3);
  const auto room = output.prepare(back.view(), Memory::kCuda);
  copy(there, room, exec);
  output.give_back(exec);
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 13 * 3; ++x) EXPECT_EQ(back.row(y)[x], image.row(y)[x]);
}

}  // namespace
}  // namespace fovea::detail
