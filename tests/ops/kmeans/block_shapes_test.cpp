// Blocks of every shape find the same centers.
#include "ops/kmeans/block_shapes.h"

#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

TEST(BlockShapes, FindTheSameCenters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  const auto points = test::random_image<float>(random, 32, 5003),
             centers = test::random_image<float>(random, 32, 130);
  NearestCenter nearest(centers.view(), {.device = Device::cpu()});
  const std::vector<std::int32_t> expected = nearest.find(points.view());
  std::vector<std::int32_t> labels(expected.size());
  const Exec gpu{.device = Device::cuda(0)};
  for (std::size_t i = 0; i < cuda::nearest_shapes().size(); ++i) {
    cuda::make_shaped_engine(centers.view(), gpu, i)->find(points.view(), labels, gpu);
    EXPECT_EQ(labels, expected) << i;
  }
}

}  // namespace
}  // namespace fovea
