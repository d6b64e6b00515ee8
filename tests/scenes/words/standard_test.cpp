// Means and deviations, against sums in double precision, and that parts add up to the whole.
#include "scenes/words/standard.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/images.h"

namespace fovea::scenes {
namespace {

constexpr int kNumbers = 5;

Image<float> some_samples(int count) {
  Random random(11);
  Image<float> samples(kNumbers, count);
  for (int y = 0; y < count; ++y)
    for (int i = 0; i < kNumbers; ++i)
      samples.at(i, y) = i == 4 ? 0.1F : (random.uniform() - 0.3F) * std::pow(50.0F, 1.0F * i);
  return samples;
}

TEST(Standard, IsMeanAndDeviation) {
  const Image<float> samples = some_samples(3000);
  Dictionary dictionary;
  measure_standard(samples.view(), dictionary);
  for (int i = 0; i < kNumbers; ++i) {
    double mean = 0, squares = 0;
    for (int y = 0; y < samples.height(); ++y) mean += samples.at(i, y);
    mean /= samples.height();
    for (int y = 0; y < samples.height(); ++y) squares += std::pow(samples.at(i, y) - mean, 2);
    const auto place = static_cast<std::size_t>(i);
    EXPECT_FLOAT_EQ(dictionary.mean[place], static_cast<float>(mean));
    if (i < 4)
      EXPECT_FLOAT_EQ(dictionary.scale[place],
                      static_cast<float>(1 / std::sqrt(squares / samples.height())));
    else EXPECT_EQ(dictionary.scale[place], 0) << "a number that never varies";
  }
}

TEST(Standard, SumsOfPartsAreThoseOfTheWhole) {
  const Image<float> samples = some_samples(1000);
  const NumberRanges whole = ranges_of(samples.view());
  const auto sums = sums_of(samples.view(), sum_scales(whole));
  const auto means = means_of(sums, sum_scales(whole), whole.count);
  const auto squares = squares_of(samples.view(), means, square_scales(whole));
  NumberRanges ranges;
  ranges.add(ranges_of({}));
  std::vector<std::int64_t> added(kNumbers), added_squares(kNumbers);
  for (int first = 0; first < 1000; first += 250) {
    const auto part = samples.view().crop(0, first, kNumbers, 250);
    ranges.add(ranges_of(part));
    const auto some = sums_of(part, sum_scales(whole));
    const auto some_squares = squares_of(part, means, square_scales(whole));
    for (std::size_t i = 0; i < added.size(); ++i) {
      added[i] += some[i];
      added_squares[i] += some_squares[i];
    }
  }
  EXPECT_EQ(ranges.count, 1000);
  EXPECT_EQ(ranges.least, whole.least);
  EXPECT_EQ(ranges.greatest, whole.greatest);
  EXPECT_EQ(added, sums);
  EXPECT_EQ(added_squares, squares);
}

}  // namespace
}  // namespace fovea::scenes
