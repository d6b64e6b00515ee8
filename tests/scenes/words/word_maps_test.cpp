// Features in single steps give what FeatureMaker gives.
#include <fovea/core/error.h>
#include <fovea/scenes/features.h>
#include <fovea/scenes/train.h>
#include <gmock/gmock.h>

#include "scenes/textures.h"
#include "support/devices.h"

namespace fovea::scenes {
namespace {

using testing::HasSubstr;

Dictionary small_dictionary(bool standardize) {
  DictionaryOptions options;
  options.words = 20;
  options.samples = 100;
  options.standardize = standardize;
  options.exec.device = Device::cpu();
  return learn_dictionary(Textures(2), {.exec = {.device = Device::cpu()}}, options);
}

TEST(WordMaps, DescriptorsHaveTheWordsOfTheirImage) {
  const Image<std::uint8_t> image = texture(1, 3);
  for (const bool standardize : {true, false}) {
    const Dictionary dictionary = small_dictionary(standardize);
    FeatureMaker maker(dictionary, {.exec = {.device = Device::cpu()}});
    const Image<std::uint16_t> map = maker.words(image.view());
    const std::vector<std::uint16_t> words =
        find_words(descriptors(image.view(), {.exec = {.device = Device::cpu()}}).view(),
                   dictionary, {.device = Device::cpu()});
    ASSERT_EQ(words.size(), static_cast<std::size_t>(map.width()) * map.height());
    for (std::size_t i = 0; i < words.size(); ++i)
      ASSERT_EQ(words[i],
                map.at(static_cast<int>(i) % map.width(), static_cast<int>(i) / map.width()));
  }
}

TEST(WordMaps, HistogramsAreTheFeaturesOfTheImage) {
  const Dictionary dictionary = small_dictionary(true);
  const Image<std::uint8_t> image = texture(0, 1);
  for (int pyramid = 0; pyramid <= 2; ++pyramid) {
    FeatureOptions options{.pyramid = pyramid, .exec = {.device = Device::cpu()}};
    FeatureMaker maker(dictionary, options);
    EXPECT_EQ(word_histogram(maker.words(image.view()).view(), 20, pyramid),
              maker.make(image.view()));
  }
}

TEST(WordMaps, RefusesWordsThatDoNotExist) {
  Image<std::uint16_t> map(2, 1);
  map.at(0, 0) = 1;
  map.at(1, 0) = 7;
  try {
    word_histogram(map.view(), 7);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("word 7 at 1,0"));
  }
  EXPECT_THROW(word_histogram(map.view(), 8, 3), InvalidArgument);
  EXPECT_THROW(find_words(Image<float>(31, 2).view(), small_dictionary(true)), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
