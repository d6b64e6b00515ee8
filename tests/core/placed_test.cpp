#include "core/placed.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea::detail {
namespace {

TEST(Placed, LeavesHostAndPinnedMemoryWhereItIs) {
  Image<float> image(5, 3);
  Placed<float> placed;
  EXPECT_EQ(placed.bring(std::as_const(image).view(), Memory::kHost, {}).data, image.view().data);
  EXPECT_EQ(placed.bring(std::as_const(image).view(), Memory::kPinned, {}).data, image.view().data);
  EXPECT_EQ(placed.prepare(image.view(), Memory::kHost).data, image.view().data);
  placed.give_back({});
  const Stack<float> stack(5, 3, 2);
  const StackView<const float> here = placed.bring(stack.view(), Memory::kHost, {});
  EXPECT_EQ(here.data, stack.view().data);
  EXPECT_EQ(here.count, 2);
}

TEST(Placed, AnOutputThatNobodyWantsStaysSo) {
  Placed<float> placed;
  const ImageView<float> none{nullptr, 5, 3, 1, 5, Memory::kHost};
  EXPECT_EQ(placed.prepare(none, Memory::kCuda).data, nullptr);
  placed.give_back({});
}

TEST(Placed, KnowsTheMemoryOfDevicesAndResults) {
  EXPECT_EQ(memory_of(Device::cpu()), Memory::kHost);
  EXPECT_EQ(memory_of(Device::cuda(1)), Memory::kCuda);
  EXPECT_EQ(memory_beside(Memory::kHost), Memory::kHost);
  EXPECT_EQ(memory_beside(Memory::kPinned), Memory::kHost);
  EXPECT_EQ(memory_beside(Memory::kCuda), Memory::kCuda);
  EXPECT_TRUE(same_side(Memory::kHost, Memory::kPinned));
  EXPECT_FALSE(same_side(Memory::kPinned, Memory::kCuda));
}

// A picture that is stored from the bottom up.
ImageView<float> upside_down(Image<float>& image) {
  ImageView<float> view = image.view();
  view.data = view.row(view.height - 1);
  view.stride = -view.stride;
  return view;
}

TEST(Placed, RefusesRowsInReverseOrderBeforeItTouchesAGpu) {
  Image<float> image(5, 3);
  const ImageView<float> flipped = upside_down(image);
  Placed<float> placed;
  const auto says = [](const char* what, auto call) {
    const std::string message = test::message_of(call);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  };
  EXPECT_THROW(placed.bring(ImageView<const float>(flipped), Memory::kCuda, {}), InvalidArgument);
  says("clone() the image first",
       [&] { placed.bring(ImageView<const float>(flipped), Memory::kCuda, {}); });
  says("cannot be sent to a GPU", [&] { placed.prepare(flipped, Memory::kCuda); });
  ImageView<const float> on_gpu = flipped;
  on_gpu.memory = Memory::kCuda;  // is never read
  says("positive stride", [&] { placed.bring(on_gpu, Memory::kHost, {}); });
  EXPECT_EQ(placed.bring(ImageView<const float>(flipped), Memory::kHost, {}).data, flipped.data);
}

TEST(Placed, RefusesToCopyRowsInReverseOrderFromAGpu) {
  Image<float> image(5, 3), other(5, 3);
  ImageView<const float> on_gpu = upside_down(image);
  on_gpu.memory = Memory::kCuda;  // is never read
  EXPECT_THROW(copy(on_gpu, other.view()), InvalidArgument);
}

TEST(Placed, CarriesToTheDeviceAndBack) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(3);
  const auto image = test::random_image<std::uint8_t>(random, 13, 7, 3);
  const auto part = image.view().crop(2, 1, 5, 4);
  const Exec exec{.device = Device::cuda(0)};
  Placed<std::uint8_t> input, output;
  const auto there = input.bring(image.view(), Memory::kCuda, exec);
  EXPECT_EQ(there.memory, Memory::kCuda);
  EXPECT_EQ(input.bring(part, Memory::kCuda, exec).data, there.data);          // memory is kept
  EXPECT_EQ(input.bring(image.view(), Memory::kCuda, exec).data, there.data);  // for what fits it
  Image<std::uint8_t> back(13, 7, 3);
  const auto room = output.prepare(back.view(), Memory::kCuda);
  copy(there, room, exec);
  output.give_back(exec);
  EXPECT_TRUE(test::images_equal(back.view(), image.view()));
}

TEST(Placed, CarriesStacks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Stack<float> stack(5, 3, 2);
  for (int k = 0; k < 2; ++k)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 5; ++x)
        stack.plane(k).at(x, y) = static_cast<float>(100 * k + 10 * y + x);
  const Exec exec{.device = Device::cuda(0)};
  Placed<float> there, here;
  const auto up = there.bring(std::as_const(stack).view(), Memory::kCuda, exec);
  const auto down = here.bring(up, Memory::kHost, exec);
  for (int k = 0; k < 2; ++k)
    EXPECT_TRUE(test::images_equal(down.plane(k), std::as_const(stack).plane(k)));
}

}  // namespace
}  // namespace fovea::detail
