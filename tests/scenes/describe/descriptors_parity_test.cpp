// The twins of descriptors: equal to the bit, of all places and of some drawn at random.
#include <fovea/scenes/dictionary.h>

#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::random_image;

struct DescriptorCase {
  WordSource words;
  Color color;
  int channels, step, cell, scales;
};

class DescriptorParity : public testing::TestWithParam<DescriptorCase> {};

TEST_P(DescriptorParity, EqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const DescriptorCase& wanted = GetParam();
  const DescriptorOptions options{.words = wanted.words,
                                  .color = wanted.color,
                                  .step = wanted.step,
                                  .cell = wanted.cell,
                                  .scales = wanted.scales};
  Random random(static_cast<std::uint64_t>(wanted.step) + 5);
  for (const test::Size& size : {test::Size{1, 1}, {3, 100}, {31, 31}, {257, 130}, {64, 48}}) {
    SCOPED_TRACE(testing::Message() << size.width << "x" << size.height);
    const auto image = random_image<std::uint8_t>(random, size.width, size.height, wanted.channels);
    const Image<float> expected = descriptors(image, with(options, {.device = Device::cpu()}));
    ASSERT_TRUE(
        images_equal(descriptors(image, with(options, {.device = Device::cuda()})), expected));
    const Image<std::uint8_t> there = clone(image, Memory::kCuda);
    ASSERT_TRUE(images_equal(descriptors(there, options), expected));
    for (const int samples : {1, 77, 300}) {
      ASSERT_TRUE(images_equal(
          sample_descriptors(image, 3, samples, with(options, {.device = Device::cuda()})),
          sample_descriptors(image, 3, samples, with(options, {.device = Device::cpu()}))))
          << samples;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(
    Options, DescriptorParity,
    testing::Values(DescriptorCase{WordSource::kFilters, Color::kGray, 1, 1, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kGray, 3, 1, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kLab, 3, 1, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kLab, 1, 1, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kGray, 1, 2, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kGray, 3, 64, 4, 3},
                    DescriptorCase{WordSource::kFilters, Color::kLab, 3, 7, 4, 3},
                    DescriptorCase{WordSource::kGradients, Color::kGray, 1, 0, 4, 3},
                    DescriptorCase{WordSource::kGradients, Color::kGray, 3, 1, 2, 2},
                    DescriptorCase{WordSource::kGradients, Color::kLab, 3, 5, 3, 6},
                    DescriptorCase{WordSource::kGradients, Color::kGray, 1, 9, 32, 2},
                    DescriptorCase{WordSource::kGradients, Color::kLab, 1, 0, 4, 1}));

TEST(DescriptorTwins, OtherBanksOfFilters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(12);
  const auto image = random_image<std::uint8_t>(random, 93, 61, 3);
  for (const Color color : {Color::kGray, Color::kLab}) {
    for (const int step : {1, 5}) {
      for (const std::vector<int>& sizes :
           {std::vector<int>{3, 5, 7, 9, 11, 17, 21, 31}, {13}, {31, 3, 19}}) {
        DescriptorOptions options{.color = color, .step = step, .filter_sizes = sizes};
        options.filter_sigmas.assign(sizes.size(), 1.7);
        SCOPED_TRACE(testing::Message() << sizes.size() << " sizes, step " << step);
        const DescriptorOptions host = with(options, {.device = Device::cpu()}),
                                device = with(options, {.device = Device::cuda()});
        EXPECT_TRUE(images_equal(descriptors(image, device), descriptors(image, host)));
        EXPECT_TRUE(images_equal(sample_descriptors(image, 1, 90, device),
                                 sample_descriptors(image, 1, 90, host)));
      }
    }
  }
}

TEST(DescriptorTwins, FlatAndSharpImages) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Image<std::uint8_t> image(90, 70, 3);
  for (int y = 0; y < 70; ++y)
    for (int i = 0; i < 270; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(i / 3 < 40 ? 0 : (y < 30 ? 255 : 90));
  for (const WordSource words : {WordSource::kFilters, WordSource::kGradients}) {
    for (const Color color : {Color::kGray, Color::kLab}) {
      const DescriptorOptions options{.words = words, .color = color};
      EXPECT_TRUE(images_equal(descriptors(image, with(options, {.device = Device::cuda()})),
                               descriptors(image, with(options, {.device = Device::cpu()}))));
    }
  }
}

TEST(DescriptorTwins, LabOfManyPixelsIsStoredInRanges) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(9);
  const auto image = random_image<std::uint8_t>(random, 811, 603, 3);  // more than 160 MiB
  const DescriptorOptions options{.color = Color::kLab};
  EXPECT_TRUE(images_equal(descriptors(image, with(options, {.device = Device::cuda()})),
                           descriptors(image, with(options, {.device = Device::cpu()}))));
}

}  // namespace
}  // namespace fovea::scenes
