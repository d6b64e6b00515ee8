#include <fovea/core/error.h>
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <limits>

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

TEST(Memory, AnArrayMovedFromByAssignmentIsEmpty) {
  Array<int> first(10), second(3);
  second = std::move(first);
  EXPECT_EQ(second.size(), 10U);
  EXPECT_EQ(first.size(), 0U);  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_EQ(first.data(), nullptr);
  Array<int>& same = second;
  second = std::move(same);
  EXPECT_EQ(second.size(), 10U);
}

TEST(Memory, AnArrayLargerThanAnyMemoryIsRefused) {
  EXPECT_THROW(Array<double>(std::numeric_limits<std::size_t>::max() / 4), InvalidArgument);
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

TEST(Memory, CopyOfStacksAndInTheOrderOfAnExec) {
  Stack<float> from(5, 4, 3, 2), to(5, 4, 3, 2);
  for (int i = 0; i < 3; ++i)
    for (int y = 0; y < 4; ++y)
      for (int e = 0; e < 10; ++e)
        from.plane(i).row(y)[e] = static_cast<float>(100 * i + 10 * y + e);
  copy(from.view(), to.view(), Exec{});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(test::images_equal(to.plane(i), from.plane(i)));
}

TEST(Memory, CopyRefusesRowsThatOverlap) {
  Image<float> image(6, 4), target(6, 4);
  ImageView<float> flat = image.view();
  flat.stride = 0;
  EXPECT_THROW(copy(flat, target.view()), InvalidArgument);
  EXPECT_THROW(copy(target.view(), flat), InvalidArgument);
}

TEST(Memory, PackedViewSeesADenseBuffer) {
  std::vector<int> pixels(3 * 2 * 2);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<int>(i);
  const auto view = packed_view(pixels.data(), 3, 2, 2);
  EXPECT_EQ(view.stride, 6);
  EXPECT_EQ(view.memory, Memory::kHost);
  EXPECT_EQ(view.at(2, 1, 1), 11);
  const std::vector<int>& constant = pixels;
  const ImageView<const int> read = packed_view(constant.data(), 4, 3);
  EXPECT_EQ(read.at(1, 2), 9);
}

TEST(Memory, ImpossibleSizesAreRefused) {
  EXPECT_THROW(Image<std::uint8_t>(1 << 30, 1, 2), InvalidArgument);
  EXPECT_THROW(Image<std::uint8_t>(1 << 30, 0, 1 << 30), InvalidArgument);
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
