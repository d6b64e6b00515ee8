// Large planes between ordinary memory and a GPU go through pinned memory, which threads share.
// Covers: staging_cuda
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/core/stream.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

// Below and above the sizes of a piece and of all pinned memory of a copy, and rows with gaps.
TEST(Staging, PlanesOfAllSizesComeBackFromTheGpuUnchanged) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(31);
  for (const Extent size : {Extent{100, 9}, {641, 483}, {1999, 1501}, {5000, 2100}}) {
    const Image<std::uint8_t> image =
        test::random_image<std::uint8_t>(random, size.width, size.height, 3);
    const ImageView<const std::uint8_t> part =
        image.view().crop(1, 2, size.width - 3, size.height - 5);
    Image<std::uint8_t> there(part.width, part.height, 3, Memory::kCuda);
    Image<std::uint8_t> back(size.width, size.height, 3);
    copy(part, there.view());
    copy(there.view(), back.view().crop(0, 1, part.width, part.height));
    EXPECT_TRUE(
        test::images_equal(clone(back.view().crop(0, 1, part.width, part.height)), clone(part)))
        << size.width;
  }
}

TEST(Staging, ThreadsAndStreamsDoNotDisturbEachOther) {
  FOVEA_SKIP_WITHOUT_CUDA();
  std::vector<std::jthread> threads;
  threads.reserve(8);
  std::vector<int> wrong(8);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t, &wrong] {
      Random random(static_cast<std::uint64_t>(t));
      const Stream stream(Device::cuda(0));
      const Exec exec{.device = Device::cuda(0), .stream = stream.get()};
      for (int i = 0; i < 20; ++i) {
        const Image<float> image = test::random_image<float>(random, 700 + t, 600 + i);
        Image<float> there(image.width(), image.height(), 1, Memory::kCuda);
        Image<float> back(image.width(), image.height());
        copy(image.view(), there.view(), exec);
        copy(std::as_const(there).view(), back.view(), exec);
        if (!test::images_equal(back, image)) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, std::vector<int>(8));
}

}  // namespace
}  // namespace fovea
