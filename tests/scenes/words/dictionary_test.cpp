// Which places are drawn, how numbers are brought to one scale, and that words are k-means'
// centers.
#include <fovea/core/error.h>
#include <fovea/scenes/dictionary.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::random_image;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Samples : public test::OnEveryPlace {
 protected:
  Exec exec(int threads = 0, std::uint64_t seed = 1234) const {
    return {.device = device(), .threads = threads, .seed = seed};
  }
};
FOVEA_ON_EVERY_PLACE(Samples);

bool same_row(const Image<float>& a, int row, const Image<float>& b, int other) {
  return std::equal(a.row(row), a.row(row) + a.width(), b.row(other));
}

TEST_P(Samples, AreDescriptorsOfDifferentPlaces) {
  Random random(1);
  const auto image = random_image<std::uint8_t>(random, 40, 30);
  const auto all = descriptors(image, {.exec = exec()});
  const auto some = sample_descriptors(image, 3, 200, {.exec = exec()});
  ASSERT_EQ(some.height(), 200);
  std::set<int> places;
  int from = 0;
  for (int i = 0; i < 200; ++i) {
    while (from < all.height() && !same_row(some, i, all, from)) ++from;
    ASSERT_LT(from, all.height()) << "sample " << i;
    places.insert(from++);
  }
  EXPECT_EQ(places.size(), 200U);
}

TEST_P(Samples, DependOnSeedAndIndexOnly) {
  Random random(2);
  const auto image = random_image<std::uint8_t>(random, 90, 70, 3);
  for (const WordSource words : {WordSource::kFilters, WordSource::kGradients}) {
    const DescriptorOptions options{.words = words};
    const auto one = sample_descriptors(image, 5, 50, with(options, exec(1)));
    for (const int threads : {2, 7})
      EXPECT_TRUE(
          images_equal(one, sample_descriptors(image, 5, 50, with(options, exec(threads)))));
    EXPECT_FALSE(images_equal(one, sample_descriptors(image, 6, 50, with(options, exec()))));
    EXPECT_FALSE(images_equal(one, sample_descriptors(image, 5, 50, with(options, exec(0, 99)))));
  }
}

TEST_P(Samples, SmallImagesGiveSomeTwice) {
  Random random(3);
  const auto image = random_image<std::uint8_t>(random, 3, 2);
  const auto all = descriptors(image, {.exec = exec()});
  const auto some = sample_descriptors(image, 0, 20, {.exec = exec()});
  ASSERT_EQ(some.height(), 20);
  for (int place = 0; place < 6; ++place) {
    int times = 0;
    for (int i = 0; i < 20; ++i) times += same_row(some, i, all, place) ? 1 : 0;
    EXPECT_GE(times, 3);
    EXPECT_LE(times, 4);
  }
}

Image<float> random_samples(int count, std::uint64_t seed) {
  Random random(seed);
  Image<float> samples(32, count);
  for (int y = 0; y < count; ++y)
    for (int i = 0; i < 32; ++i) samples.at(i, y) = random.normal() * static_cast<float>(i) + 5;
  return samples;
}

TEST(Dictionary, StandardizesByMeanAndDeviation) {
  const auto samples = random_samples(2000, 4);  // number 0 is 5 everywhere
  const auto dictionary = learn_dictionary(
      samples, {},
      {.words = 8, .kmeans = {.max_iterations = 5}, .exec = {.device = Device::cpu()}});
  ASSERT_EQ(dictionary.size(), 8);
  ASSERT_EQ(dictionary.mean.size(), 32U);
  ASSERT_EQ(dictionary.scale.size(), 32U);
  EXPECT_EQ(dictionary.mean[0], 5);
  EXPECT_EQ(dictionary.scale[0], 0) << "a number that never varies stays out of distances";
  for (std::size_t i = 1; i < 32; ++i) {
    double sum = 0, squares = 0;
    for (int y = 0; y < 2000; ++y) sum += samples.row(y)[i];
    const double mean = sum / 2000;
    for (int y = 0; y < 2000; ++y) squares += std::pow(samples.row(y)[i] - mean, 2);
    EXPECT_NEAR(dictionary.mean[i], mean, 1e-6);
    EXPECT_NEAR(dictionary.scale[i], 1 / std::sqrt(squares / 2000), 1e-6);
  }
}

TEST(Dictionary, WordsAreCentersOfTheSamples) {
  const auto samples = random_samples(600, 5);
  const DictionaryOptions options{.words = 20, .standardize = false};
  const Exec exec{.device = Device::cpu()};
  const auto dictionary = learn_dictionary(samples, {}, with(options, exec));
  EXPECT_TRUE(dictionary.mean.empty());
  EXPECT_TRUE(dictionary.scale.empty());
  KmeansOptions kmeans_options = options.kmeans;
  kmeans_options.clusters = 20;
  kmeans_options.exec = exec;
  EXPECT_TRUE(images_equal(dictionary.words, kmeans(samples, kmeans_options).centers));
}

TEST(Dictionary, RefusesWhatCannotBeLearned) {
  const auto samples = random_samples(10, 6);
  EXPECT_THAT(
      [&] { learn_dictionary(samples, {}, {.words = 11}); },
      ThrowsMessage<InvalidArgument>(HasSubstr("11 words cannot be learned from 10 samples")));
  EXPECT_THROW(learn_dictionary(samples, {.color = Color::kLab}, {.words = 2}), InvalidArgument);
  EXPECT_THROW(learn_dictionary(samples, {}, {.words = 1}), InvalidArgument);
  const Image<std::uint8_t> image(4, 4);
  EXPECT_THROW(sample_descriptors(image, 0, 0, {}), InvalidArgument);
  EXPECT_THROW(sample_descriptors(image, -1, 5, {}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
