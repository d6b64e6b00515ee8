// The twins of features: histograms and word maps equal to the bit, whatever the mixture of sizes
// and memories.
#include <fovea/scenes/features.h>

#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::random_image;

// Words that are standardized descriptors of a picture; `words` may exceed its places, then words
// stand twice and the first of equal ones counts.
Dictionary dictionary_of(const DescriptorOptions& options, int words, bool standardize) {
  Random random(static_cast<std::uint64_t>(words));
  const auto image = random_image<std::uint8_t>(random, 67, 59, 3);
  Dictionary dictionary;
  dictionary.descriptor = options;
  dictionary.words = sample_descriptors(image, 0, words, with(options, {.device = Device::cpu()}));
  if (!standardize) return dictionary;
  for (int i = 0; i < dimensions(options); ++i) {
    const float mean = random.uniform(-0.1F, 0.1F), scale = random.uniform(2, 9);
    dictionary.mean.push_back(mean);
    dictionary.scale.push_back(scale);
    for (int w = 0; w < words; ++w)
      dictionary.words.at(i, w) = (dictionary.words.at(i, w) - mean) * scale;
  }
  return dictionary;
}

// Half noise, half patches whose pixels resemble each other, as photos are.
Image<std::uint8_t> picture(Random& random, int width, int height, int channels) {
  auto image = random_image<std::uint8_t>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        if (x / 24 % 2 == y / 17 % 2)
          image.at(x, y, c) = static_cast<std::uint8_t>((x / 24 * 37 + y / 17 * 91 + c * 60) % 256);
  return image;
}

struct FeatureCase {
  WordSource words;
  Color color;
  int step, size, pyramid;
  bool standardize;
};

class FeatureParity : public testing::TestWithParam<FeatureCase> {};

TEST_P(FeatureParity, EqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const FeatureCase& wanted = GetParam();
  const Dictionary dictionary =
      dictionary_of({.words = wanted.words, .color = wanted.color, .step = wanted.step},
                    wanted.size, wanted.standardize);
  FeatureMaker host(dictionary, features_with(wanted.pyramid, {.device = Device::cpu()}));
  FeatureMaker device(dictionary, features_with(wanted.pyramid, {.device = Device::cuda()}));
  Random random(11);
  std::vector<Image<std::uint8_t>> images, there;
  for (const test::Size& size :
       {test::Size{1, 1}, {3, 100}, {31, 31}, {257, 130}, {100, 3}, {40, 200}, {33, 17}, {130, 64}})
    for (const int channels : {1, 3})
      images.push_back(picture(random, size.width, size.height, channels));
  std::vector<ImageView<const std::uint8_t>> views, mixed;
  for (std::size_t i = 0; i < images.size(); ++i) {
    views.push_back(images[i]);
    there.push_back(clone(images[i], Memory::kCuda));
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
  for (std::size_t i = 0; i < images.size(); i += 3) {
    EXPECT_TRUE(images_equal(device.words(views[i]), host.words(views[i]))) << i;
    EXPECT_TRUE(images_equal(device.words(there[i]), host.words(views[i]))) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Options, FeatureParity,
    testing::Values(FeatureCase{WordSource::kFilters, Color::kGray, 0, 500, 0, true},
                    FeatureCase{WordSource::kFilters, Color::kGray, 1, 2, 1, false},
                    FeatureCase{WordSource::kFilters, Color::kGray, 1, 1000, 2, true},
                    FeatureCase{WordSource::kFilters, Color::kGray, 1, 5000, 0, false},
                    FeatureCase{WordSource::kFilters, Color::kGray, 2, 77, 2, true},
                    FeatureCase{WordSource::kFilters, Color::kGray, 13, 9, 1, true},
                    FeatureCase{WordSource::kFilters, Color::kLab, 1, 300, 2, true},
                    FeatureCase{WordSource::kFilters, Color::kLab, 4, 63, 0, false},
                    FeatureCase{WordSource::kGradients, Color::kGray, 0, 400, 2, false},
                    FeatureCase{WordSource::kGradients, Color::kGray, 3, 17, 1, true},
                    FeatureCase{WordSource::kGradients, Color::kLab, 0, 50, 1, true}));

TEST(FeatureTwins, ManyImagesTakeSeveralChunks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Dictionary dictionary = dictionary_of({}, 40, true);
  FeatureMaker host(dictionary, features_with(1, {.device = Device::cpu()}));
  FeatureMaker device(dictionary, features_with(1, {.device = Device::cuda()}));
  Random random(5);
  // 16 MiB a chunk: one image alone exceeds it.
  std::vector<Image<std::uint8_t>> images;
  for (int i = 0; i < 8; ++i) images.push_back(picture(random, 900 + i, 700, 3));
  images.push_back(picture(random, 3000, 2000, 3));
  for (int i = 0; i < 40; ++i) images.push_back(picture(random, 50 + i, 20 + i, 1));
  const std::vector<ImageView<const std::uint8_t>> views(images.begin(), images.end());
  const auto count = static_cast<int>(images.size());
  Image<float> expected(host.length(), count), features(device.length(), count);
  host.make(views, expected);
  device.make(views, features);
  EXPECT_TRUE(images_equal(features, expected));
}

TEST(FeatureTwins, LabOfManyPixelsIsStoredInRanges) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Dictionary dictionary = dictionary_of({.color = Color::kLab, .step = 1}, 40, true);
  FeatureMaker host(dictionary, features_with(2, {.device = Device::cpu()}));
  FeatureMaker device(dictionary, features_with(2, {.device = Device::cuda()}));
  Random random(6);
  // 160 MiB hold at most 436906 places. The small image comes first, so that memory grows.
  std::vector<Image<std::uint8_t>> images;
  images.push_back(picture(random, 9, 4, 3));
  images.push_back(picture(random, 1203, 701, 3));
  images.push_back(picture(random, 333, 255, 1));
  images.push_back(picture(random, 31, 700, 3));
  images.push_back(picture(random, 700, 29, 3));
  images.push_back(picture(random, 640, 480, 3));
  for (const std::size_t i : {0U, 1U})
    EXPECT_TRUE(images_equal(device.words(images[i]), host.words(images[i]))) << i;
  const std::vector<ImageView<const std::uint8_t>> views(images.begin(), images.end());
  const auto count = static_cast<int>(images.size());
  Image<float> expected(host.length(), count), features(device.length(), count);
  host.make(views, expected);
  device.make(views, features);
  EXPECT_TRUE(images_equal(features, expected));
}

TEST(FeatureTwins, TwoObjectsInTurns) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Dictionary gray = dictionary_of({}, 100, true),
                   lab = dictionary_of({.color = Color::kLab, .step = 2}, 30, true);
  FeatureMaker first(gray, features_with(0, {.device = Device::cuda()})),
      second(lab, features_with(2, {.device = Device::cuda()}));
  FeatureMaker first_host(gray, features_with(0, {.device = Device::cpu()})),
      second_host(lab, features_with(2, {.device = Device::cpu()}));
  Random random(8);
  for (int i = 0; i < 3; ++i) {
    const auto image = picture(random, 90 + 40 * i, 70, 3);
    EXPECT_EQ(first.make(image), first_host.make(image));
    EXPECT_EQ(second.make(image), second_host.make(image));
  }
}

TEST(FeatureTwins, OtherBanksOfFilters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(13);
  const auto image = picture(random, 120, 75, 3);
  for (const Color color : {Color::kGray, Color::kLab}) {
    for (const bool standardize : {false, true}) {
      const Dictionary dictionary =
          dictionary_of({.color = color, .filter_sizes = {3, 13, 27}, .filter_sigmas = {0.6, 2, 5}},
                        70, standardize);
      FeatureMaker host(dictionary, features_with(1, {.device = Device::cpu()}));
      FeatureMaker device(dictionary, features_with(1, {.device = Device::cuda()}));
      EXPECT_EQ(host.make(image), device.make(image));
      EXPECT_TRUE(images_equal(host.words(image), device.words(image)));
    }
  }
}

}  // namespace
}  // namespace fovea::scenes
