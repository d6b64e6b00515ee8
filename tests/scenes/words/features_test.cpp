// Histograms of words against descriptors, nearest words and counts made one by one.
#include <fovea/core/error.h>
#include <fovea/scenes/features.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/with_exec.h"
#include "support/device_rule.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::random_image;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Features : public test::OnEveryPlace {
 protected:
  Exec exec(int threads = 0) const { return {.device = device(), .threads = threads}; }
};
FOVEA_ON_EVERY_PLACE(Features);

// Words that are descriptors of a picture, standardized by numbers of no meaning.
Dictionary some_dictionary(const DescriptorOptions& options, int words, bool standardized = true) {
  Random random(77);
  const auto image = random_image<std::uint8_t>(random, 60, 50, 3);
  Dictionary dictionary;
  dictionary.descriptor = options;
  dictionary.words = sample_descriptors(image, 0, words, with(options, {.device = Device::cpu()}));
  if (!standardized) return dictionary;
  for (int i = 0; i < dimensions(options); ++i) {
    dictionary.mean.push_back(random.uniform());
    dictionary.scale.push_back(0.5F + random.uniform());
  }
  for (int w = 0; w < words; ++w) {
    for (int i = 0; i < dimensions(options); ++i) {
      float& number = dictionary.words.at(i, w);
      number = (number - dictionary.mean[static_cast<std::size_t>(i)]) *
               dictionary.scale[static_cast<std::size_t>(i)];
    }
  }
  return dictionary;
}

std::vector<std::int32_t> words_of(ImageView<const std::uint8_t> image,
                                   const Dictionary& dictionary) {
  Image<float> numbers = descriptors(image, with(dictionary.descriptor, {.device = Device::cpu()}));
  for (std::size_t i = 0; i < dictionary.mean.size(); ++i) {
    const float scale = dictionary.scale[i], offset = -(dictionary.mean[i] * scale);
    for (int y = 0; y < numbers.height(); ++y)
      numbers.row(y)[i] = std::fma(numbers.row(y)[i], scale, offset);
  }
  return NearestCenter(dictionary.words, {.device = Device::cpu()}).find(numbers);
}

// Places counted one by one.
std::vector<float> textbook(ImageView<const std::uint8_t> image, const Dictionary& dictionary,
                            int pyramid) {
  const auto words = words_of(image, dictionary);
  const auto size = static_cast<std::size_t>(dictionary.size());
  std::vector<float> features;
  for (int level = 0; level <= pyramid; ++level) {
    const int across = 1 << level;
    std::vector<int> counts(size * static_cast<std::size_t>(across * across));
    std::size_t i = 0;
    for (const PlaceGrid& grid : place_grids(dictionary.descriptor, image.width, image.height)) {
      for (int p = 0; p < grid.count(); ++p, ++i) {
        const int x = grid.left + p % grid.columns * grid.step;
        const int y = grid.top + p / grid.columns * grid.step;
        const int cell = y * across / image.height * across + x * across / image.width;
        ++counts[static_cast<std::size_t>(cell) * size + static_cast<std::size_t>(words[i])];
      }
    }
    const float weight = std::ldexp(1.0F, level == 0 ? -pyramid : level - pyramid - 1);
    for (const int count : counts)
      features.push_back(static_cast<float>(count) / static_cast<float>(words.size()) * weight);
  }
  return features;
}

TEST_P(Features, AreCountsOfNearestWords) {
  Random random(1);
  for (const WordSource source : {WordSource::kFilters, WordSource::kGradients}) {
    for (const Color color : {Color::kGray, Color::kLab}) {
      const auto dictionary = some_dictionary({.words = source, .color = color}, 30);
      const auto image = random_image<std::uint8_t>(random, 71, 43, 3);
      for (const int pyramid : {0, 1, 2}) {
        FeatureMaker maker(dictionary, features_with(pyramid, exec()));
        EXPECT_EQ(maker.make(image), textbook(image, dictionary, pyramid));
      }
    }
  }
}

TEST_P(Features, OfManyImagesOfAnySizeForAnyNumberOfThreads) {
  Random random(2);
  const auto dictionary = some_dictionary({}, 17);
  std::vector<Image<std::uint8_t>> images;
  std::vector<ImageView<const std::uint8_t>> views;
  for (const auto& [width, height] :
       {test::Size{1, 1}, {2, 40}, {33, 1}, {64, 64}, {700, 5}, {31, 200}, {5, 3}}) {
    images.push_back(random_image<std::uint8_t>(random, width, height, width % 2 == 0 ? 3 : 1));
    views.push_back(images.back().view());
  }
  const auto count = static_cast<int>(images.size());
  Image<float> one(17 * 21, count);
  FeatureMaker(dictionary, features_with(2, exec(1))).make(views, one);
  for (int i = 0; i < count; ++i) {
    const auto expected = textbook(images[static_cast<std::size_t>(i)], dictionary, 2);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), one.row(i))) << "image " << i;
  }
  for (const int threads : {2, 7}) {
    FeatureMaker maker(dictionary, features_with(2, exec(threads)));
    Image<float> several(17 * 21, count);
    maker.make(views, several);
    EXPECT_TRUE(images_equal(one, several));
    maker.make(views, several);  // again, with memory that is kept
    EXPECT_TRUE(images_equal(one, several));
  }
}

TEST_P(Features, PartsOfALevelAddUpToItsWeight) {
  Random random(3);
  const auto image = random_image<std::uint8_t>(random, 97, 61);
  const auto dictionary = some_dictionary({.words = WordSource::kGradients}, 25, false);
  const auto features = FeatureMaker(dictionary, features_with(2, exec())).make(image);
  ASSERT_EQ(features.size(), 25U * 21);
  const auto sum = [&](int from, int cells) {
    return std::accumulate(features.begin() + from * 25, features.begin() + (from + cells) * 25,
                           0.0);
  };
  EXPECT_NEAR(sum(0, 1), 0.25, 1e-6);
  EXPECT_NEAR(sum(1, 4), 0.25, 1e-6);
  EXPECT_NEAR(sum(5, 16), 0.5, 1e-6);
}

TEST_P(Features, WordMapsNameTheNearestWordOfEveryPlace) {
  Random random(4);
  const auto image = random_image<std::uint8_t>(random, 130, 90);
  for (const WordSource source : {WordSource::kFilters, WordSource::kGradients}) {
    for (const int step : {0, 3}) {
      const DescriptorOptions options{.words = source, .step = step};
      const auto dictionary = some_dictionary(options, 40);
      const auto map = FeatureMaker(dictionary, features_with(0, exec())).words(image);
      const PlaceGrid grid = place_grids(options, 130, 90).at(0);
      ASSERT_EQ(map.width(), grid.columns);
      ASSERT_EQ(map.height(), grid.rows);
      const auto expected = words_of(image, dictionary);
      for (int y = 0; y < grid.rows; ++y)
        for (int x = 0; x < grid.columns; ++x)
          ASSERT_EQ(map.at(x, y), expected[static_cast<std::size_t>(y * grid.columns + x)]);
    }
  }
}

TEST(FeatureErrors, ImagesOnAGpuAreRefusedOnTheCpu) {
  const auto make = [](ImageView<const std::uint8_t> view, Device device) {
    FeatureMaker(some_dictionary({}, 5), features_with(1, {.device = device})).make(view);
  };
  const auto words = [](ImageView<const std::uint8_t> view, Device device) {
    FeatureMaker(some_dictionary({}, 5), features_with(1, {.device = device})).words(view);
  };
  test::expect_refused_on_the_cpu(Image<std::uint8_t>(40, 30), make);
  test::expect_refused_on_the_cpu(Image<std::uint8_t>(40, 30), words);
}

TEST(FeatureErrors, SayWhatWasExpected) {
  const Exec cpu{.device = Device::cpu()};
  const auto dictionary = some_dictionary({}, 5);
  EXPECT_THAT([&] { FeatureMaker(dictionary, features_with(3, cpu)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("pyramid is 3, expected 0 to 2 levels")));
  auto other = some_dictionary({}, 5);
  other.descriptor.color = Color::kLab;
  EXPECT_THAT([&] { FeatureMaker(other, features_with(0, cpu)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("words of 32 numbers, expected 96")));
  auto halved = some_dictionary({}, 5);
  halved.scale.pop_back();
  EXPECT_THROW(FeatureMaker(halved, features_with(0, cpu)), InvalidArgument);
  EXPECT_THROW(FeatureMaker(Dictionary{}, features_with(0, cpu)), InvalidArgument);
  FeatureMaker maker(dictionary, features_with(1, cpu));
  EXPECT_EQ(maker.options().pyramid, 1);
  EXPECT_EQ(maker.length(), 25);
  const Image<std::uint8_t> four(3, 3, 4), none;
  EXPECT_THROW(maker.make(four.view()), InvalidArgument);
  EXPECT_THROW(maker.words(none), InvalidArgument);
  Image<float> narrow(24, 1);
  const Image<std::uint8_t> image(3, 3);
  const ImageView<const std::uint8_t> view = image;
  EXPECT_THROW(maker.make({&view, 1}, narrow), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
