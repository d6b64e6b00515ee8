// The twins of soft, vlad and fisher coding: equal to the bit.
#include <fovea/scenes/features.h>

#include "scenes/with_exec.h"
#include "scenes/words/coded.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;

struct CodeCase {
  Coding coding;
  WordSource words;
  Color color;
  int step, size, components, pyramid;
};

class CodeParity : public testing::TestWithParam<CodeCase> {};

TEST_P(CodeParity, EqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const CodeCase& wanted = GetParam();
  const Dictionary dictionary = coded_dictionary(
      wanted.coding, {.words = wanted.words, .color = wanted.color, .step = wanted.step},
      wanted.size, wanted.components);
  FeatureMaker host(dictionary, features_with(wanted.pyramid, {.device = Device::cpu()}));
  FeatureMaker device(dictionary, features_with(wanted.pyramid, {.device = Device::cuda()}));
  std::vector<Image<std::uint8_t>> images, there;
  for (const test::Size& size :
       {test::Size{1, 1}, {3, 60}, {31, 31}, {97, 70}, {60, 3}, {40, 80}, {33, 17}})
    images.push_back(patchwork(static_cast<std::uint64_t>(size.width), size.width, size.height,
                               size.width % 2 == 0 ? 3 : 1));
  std::vector<ImageView<const std::uint8_t>> views, mixed;
  for (const Image<std::uint8_t>& image : images) {
    views.push_back(image);
    there.push_back(clone(image, Memory::kCuda));
  }
  for (std::size_t i = 0; i < images.size(); ++i)
    mixed.push_back(i % 3 == 0 ? views[i] : ImageView<const std::uint8_t>(there[i]));
  const auto count = static_cast<int>(images.size());
  Image<float> expected(host.length(), count), features(device.length(), count);
  host.make(views, expected);
  device.make(views, features);
  EXPECT_TRUE(images_equal(features, expected)) << "images on the host";
  device.make(mixed, features);
  EXPECT_TRUE(images_equal(features, expected)) << "some on the device";
  Image<float> stays(device.length(), count, 1, Memory::kCuda);
  device.make(mixed, stays);
  EXPECT_TRUE(images_equal(clone(stays), expected)) << "features on the device";
  EXPECT_TRUE(images_equal(device.words(views[3]), host.words(views[3])));
}
INSTANTIATE_TEST_SUITE_P(
    Options, CodeParity,
    testing::Values(CodeCase{Coding::kSoft, WordSource::kFilters, Color::kGray, 1, 70, 16, 2},
                    CodeCase{Coding::kSoft, WordSource::kGradients, Color::kGray, 0, 130, 64, 0},
                    CodeCase{Coding::kVlad, WordSource::kGradients, Color::kGray, 3, 9, 30, 1},
                    CodeCase{Coding::kVlad, WordSource::kFilters, Color::kLab, 4, 33, 96, 2},
                    CodeCase{Coding::kFisher, WordSource::kGradients, Color::kGray, 0, 16, 64, 1},
                    CodeCase{Coding::kFisher, WordSource::kGradients, Color::kLab, 4, 5, 128, 0},
                    CodeCase{Coding::kFisher, WordSource::kFilters, Color::kLab, 4, 12, 31, 2},
                    CodeCase{Coding::kFisher, WordSource::kFilters, Color::kGray, 1, 2, 1, 1},
                    // So many words that blocks take fewer places at a time.
                    CodeCase{Coding::kSoft, WordSource::kFilters, Color::kGray, 5, 1024, 128, 1},
                    CodeCase{Coding::kVlad, WordSource::kGradients, Color::kLab, 6, 1024, 4, 0}));

TEST(CodeTwins, OtherBanksAndWordsBesideOthers) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto image = patchwork(6, 80, 61);
  Dictionary dictionary =
      coded_dictionary(Coding::kFisher, {.words = WordSource::kGradients, .step = 5}, 6, 20);
  dictionary.beside.push_back(coded_dictionary(
      Coding::kVlad,
      {.color = Color::kLab, .step = 4, .filter_sizes = {3, 13, 27}, .filter_sigmas = {0.6, 2, 5}},
      7, 11));
  FeatureMaker host(dictionary, features_with(1, {.device = Device::cpu()}));
  FeatureMaker device(dictionary, features_with(1, {.device = Device::cuda()}));
  EXPECT_EQ(host.make(image), device.make(image));
  EXPECT_EQ(host.make(image), device.make(clone(image, Memory::kCuda)));
}

}  // namespace
}  // namespace fovea::scenes
