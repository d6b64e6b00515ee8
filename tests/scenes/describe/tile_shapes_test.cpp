// Blocks of every shape give the same responses.
#include "scenes/describe/tile_shapes.h"

#include <fovea/core/random.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

TEST(TileShapes, GiveTheSameResponses) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(4);
  const auto image = test::random_image<std::uint8_t>(random, 133, 97);
  const Image<float> expected = descriptors(image, {.exec = {.device = Device::cpu()}});
  const Image<std::uint8_t> there = clone(image.view(), Memory::kCuda);
  Image<float> out(32, 133 * 97, 1, Memory::kCuda);
  ASSERT_FALSE(cuda::filter_shapes().empty());
  for (std::size_t i = 0; i < cuda::filter_shapes().size(); ++i) {
    cuda::shaped_descriptors(there.view(), out.view(), {.device = Device::cuda(0)}, i);
    EXPECT_TRUE(test::images_equal(clone(out.view(), Memory::kHost), expected)) << i;
  }
}

}  // namespace
}  // namespace fovea::scenes
