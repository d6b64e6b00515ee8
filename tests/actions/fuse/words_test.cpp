#include "actions/fuse/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "actions/infinity.h"
#include "actions/match/features.h"
#include "actions/synthetic.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;

std::vector<int> numbers(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(Words, AreNoMoreThanDescriptorsAndNoneWithoutPoints) {
  const SyntheticCorpus set(2, 2, 10);
  const Image<float> words = learn_words(std::span<const PointSet>(set.points), numbers(4), {});
  EXPECT_EQ(words.width(), kDescriptorSize);
  EXPECT_EQ(words.height(), 2 * 4 * 10);  // those of the mirror images as well
  const std::vector<PointSet> empty(2);
  EXPECT_EQ(learn_words(std::span<const PointSet>(empty), numbers(2), {}).height(), 0);
}

TEST(Words, TheStartOfAShuffledListNeedsNoList) {
  for (const std::size_t count : {0, 1, 2, 60, 61, 500, 4156, 4157, 13000})
    for (const std::size_t most : {0, 1, 60}) {
      std::vector<std::size_t> all(count);
      std::iota(all.begin(), all.end(), std::size_t{0});
      Random random(count, 3);
      shuffle(all, random);
      all.resize(std::min(count, most));
      EXPECT_EQ(shuffled_start(count, most, Random(count, 3)), all) << count << ' ' << most;
    }
}

TEST(Words, HistogramsAreSharesOfTheNearestWords) {
  SyntheticCorpus set(2, 2, 12);
  set.points.emplace_back();  // has no points
  const ClipSource clips{std::span<const PointSet>(set.points)};
  Image<float> words(kDescriptorSize, 2);
  for (int x = 0; x < kDescriptorSize; ++x) {
    words.at(x, 0) = set.points[0].descriptors.at(x, 3);
    words.at(x, 1) = set.points[2].descriptors.at(x, 5);
  }
  const WordHistograms histograms(clips, std::vector<int>{0, 2, 4}, words, {});
  EXPECT_TRUE(histograms.has(0));
  EXPECT_FALSE(histograms.has(1));
  EXPECT_FALSE(histograms.has(4));
  for (const int clip : {0, 2})
    for (const bool turned : {false, true}) {
      // By hand: the nearest of two words.
      const Image<float> rows = word_rows(set.points[static_cast<std::size_t>(clip)], turned);
      int first = 0;
      for (int y = 0; y < rows.height(); ++y) {
        double to[2]{};
        for (int word = 0; word < 2; ++word)
          for (int x = 0; x < kDescriptorSize; ++x) {
            const double gap = static_cast<double>(rows.at(x, y)) - words.at(x, word);
            to[word] += gap * gap;
          }
        first += to[0] <= to[1] ? 1 : 0;
      }
      EXPECT_FLOAT_EQ(histograms.of(clip, turned)[0], static_cast<float>(first) / 12);
      EXPECT_FLOAT_EQ(histograms.of(clip, turned)[1], 1 - static_cast<float>(first) / 12);
    }
}

TEST(Words, DescriptorsAreRoundedAsInFiles) {
  const PointSet clip = synthetic_points(1, 2, 8);
  Image<float> rounded = fovea::clone(clip.descriptors.view());
  round_to_file(rounded);
  EXPECT_TRUE(test::images_equal(word_rows(clip, false), rounded));
}

TEST(Words, ClassesWithoutClipsHaveNoMargin) {
  const SyntheticCorpus set(3, 3, 12);
  const ClipSource clips{std::span<const PointSet>(set.points)};
  const std::vector<std::int32_t> labels{0, 0, 0, 1, 1, 1, 2, 2, 2};
  const WordHistograms histograms(clips, numbers(9), learn_words(clips, numbers(9), {}), {});
  const auto two = train_words(histograms, std::vector<int>{0, 1, 6, 7}, labels, {});
  ASSERT_TRUE(two.has_value());
  EXPECT_THAT(two->classes, ElementsAre(0, 2));
  Image<float> row(histograms.words(), 1);
  std::ranges::copy(histograms.of(8, false), row.row(0));
  const auto margins = word_margins(*two, row, 3, {});
  EXPECT_EQ(margins[0][1], -kInfinity<double>);
  EXPECT_GT(margins[0][2], margins[0][0]);
  EXPECT_FALSE(train_words(histograms, std::vector<int>{3, 4}, labels, {}).has_value());
}

class WordPlaces : public test::OnEveryPlace {};

TEST_P(WordPlaces, GiveTheSameWordsAndMargins) {
  const SyntheticCorpus set(2, 3, 12);
  const ClipSource clips{std::span<const PointSet>(set.points)};
  const std::vector<std::int32_t> labels{0, 0, 0, 1, 1, 1};
  const auto margins_on = [&](const Exec& exec) {
    const Image<float> words = learn_words(clips, numbers(6), exec);
    const WordHistograms histograms(clips, numbers(6), words, exec);
    const auto trained = train_words(histograms, std::vector<int>{0, 1, 3, 4}, labels, exec);
    Image<float> row(histograms.words(), 1);
    std::ranges::copy(histograms.of(5, true), row.row(0));
    return word_margins(*trained, row, 2, exec)[0];
  };
  EXPECT_EQ(margins_on({.device = device(), .threads = 3}),
            margins_on({.device = Device::cpu(), .threads = 1}));
}
FOVEA_ON_EVERY_PLACE(WordPlaces);

}  // namespace
}  // namespace fovea::actions
