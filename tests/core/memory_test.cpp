#include <fovea/error.h>
#include <fovea/image.h>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

TEST(Memory, RowsStartOnCacheLines) {
  Image<std::uint8_t> image(13, 5, 3);
  for (int y = 0; y < 5; ++y) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.row(y)) % 64, 0U);
}

TEST(Memory, MovingLeavesAnEmptyArray) {
  Array<int> first(10);
  int* data = first.data();
  Array<int> second(std::move(first));
  EXPECT_EQ(second.data(), data);
  Array<int> third(3);
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  EXPECT_EQ(third.size(), 10U);
}

TEST(Memory, AMovedFromImageIsEmpty) {
  Image<float> first(4, 3);
  Image<float> second(std::move(first));
  EXPECT_TRUE(first.empty());  // NOLINT(bugprone-use-after-move): that is the point
  first = std::move(second);
  EXPECT_EQ(first.width(), 4);
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move)
}

TEST(Memory, CropSharesPixels) {
  Image<int> image(10, 10, 2);
  image.at(4, 5, 1) = 42;
  EXPECT_EQ(image.view().crop(3, 3, 4, 4).at(1, 2, 1), 42);
}

TEST(Memory, CopyBetweenStrides) {
  Random random(1);
  const auto image = test::random_image<float>(random, 30, 20, 3);
  Image<float> canvas(50, 40, 3);
  copy(image.view(), canvas.view().crop(7, 9, 30, 20));
  EXPECT_TRUE(test::images_equal(image.view(), canvas.view().crop(7, 9, 30, 20)));
  EXPECT_THROW(copy(image.view(), canvas.view()), InvalidArgument);
}

TEST(Memory, ImpossibleSizesAreRefused) {
  EXPECT_THROW(Image<float>(-1, 4), InvalidArgument);
  EXPECT_THROW(Stack<double>(2000000000, 2000000000, 2000000000), InvalidArgument);
  EXPECT_THROW(Image<double>(2000000000, 100000000), Error);
}

TEST(Memory, EmptyImagesAreLegal) {
  Image<float> none(0, 10);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(clone(none).empty());
}

TEST(Memory, ThroughTheDeviceAndBack) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(2);
  const auto image = test::random_image<std::uint16_t>(random, 101, 57, 3);
  const auto pinned = clone(image, Memory::kPinned);
  const auto device = clone(pinned, Memory::kCuda);
  EXPECT_TRUE(test::images_equal(clone(device), image));
}

TEST(Memory, PinnedAndDeviceMemoryNeedCuda) {
  if (cuda_absence().empty()) GTEST_SKIP() << "there is a GPU here";
  EXPECT_THROW(Image<float>(4, 4, 1, Memory::kCuda), DeviceError);
  EXPECT_THROW(Image<float>(4, 4, 1, Memory::kPinned), DeviceError);
}

}  // namespace
}  // namespace fovea
