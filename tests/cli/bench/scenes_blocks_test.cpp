// Covers: scenes_blocks
// The shapes of blocks: what they find is the same, and without a GPU nothing is measured.
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>
#include <gmock/gmock.h>

#include "cli/program/program.h"
#include "ops/kmeans/block_shapes.h"
#include "scenes/describe/tile_shapes.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(BenchSceneBlocks, NeedAGpu) {
  const Ended ended = run_here({"bench", "scenes", "--blocks", "--device", "cpu"});
  EXPECT_EQ(ended.status, kNoDevice);
  EXPECT_THAT(ended.err, HasSubstr("--blocks measures kernels on a GPU"));
  EXPECT_EQ(run_here({"bench", "scenes", "--blocks", "--stages"}).status, kUsage);
  EXPECT_EQ(run_here({"bench", "scenes", "--chart", "a.svg"}).status, kUsage);
}

TEST(BenchSceneBlocks, EveryShapeFiltersTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(4);
  const auto image = test::random_image<std::uint8_t>(random, 133, 97);
  const Image<float> expected = scenes::descriptors(image, {.exec = {.device = Device::cpu()}});
  const Image<std::uint8_t> there = clone(image.view(), Memory::kCuda);
  Image<float> out(32, 133 * 97, 1, Memory::kCuda);
  ASSERT_FALSE(scenes::cuda::filter_shapes().empty());
  for (std::size_t i = 0; i < scenes::cuda::filter_shapes().size(); ++i) {
    scenes::cuda::shaped_descriptors(there.view(), out.view(), {.device = Device::cuda(0)}, i);
    EXPECT_TRUE(test::images_equal(clone(out.view(), Memory::kHost), expected)) << i;
  }
}

TEST(BenchSceneBlocks, EveryShapeFindsTheSameCenters) {
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
}  // namespace fovea::cli
