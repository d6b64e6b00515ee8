#include "scenes/words/standard.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ops/kmeans/scales.h"
#include "scenes/describe/bank_math.h"

namespace fovea::scenes {
namespace {

constexpr int kMostBits = 50;  // of a whole number, so that a double holds it

std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::llrint(value)); }

// Adds up whole(x, i) over the samples, for each number i.
template <class Whole>
std::vector<std::int64_t> sum_numbers(ImageView<const float> samples, const Whole& whole) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(samples.width), 0);
  for (int y = 0; y < samples.height; ++y)
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += whole(static_cast<double>(samples.row(y)[i]), i);
  return sums;
}

}  // namespace

void NumberRanges::add(const NumberRanges& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  if (other.least.size() != least.size())
    throw InvalidArgument(fmt::format("parts have samples of {} and of {} numbers", least.size(),
                                      other.least.size()));
  count += other.count;
  for (std::size_t i = 0; i < least.size(); ++i) {
    least[i] = std::min(least[i], other.least[i]);
    greatest[i] = std::max(greatest[i], other.greatest[i]);
  }
}

NumberRanges ranges_of(ImageView<const float> samples) {
  NumberRanges ranges;
  if (samples.empty()) return ranges;
  ranges.count = samples.height;
  ranges.least.assign(samples.row(0), samples.row(0) + samples.width);
  ranges.greatest = ranges.least;
  for (int y = 1; y < samples.height; ++y) {
    for (std::size_t i = 0; i < ranges.least.size(); ++i) {
      ranges.least[i] = std::min(ranges.least[i], samples.row(y)[i]);
      ranges.greatest[i] = std::max(ranges.greatest[i], samples.row(y)[i]);
    }
  }
  return ranges;
}

std::vector<double> sum_scales(const NumberRanges& ranges) {
  const int bits = std::min(detail::bits_for(ranges.count), kMostBits);
  std::vector<double> scales(ranges.least.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    scales[i] = detail::scale_for(
        std::max(std::abs(double{ranges.least[i]}), std::abs(double{ranges.greatest[i]})), bits);
  return scales;
}

std::vector<std::int64_t> sums_of(ImageView<const float> samples, std::span<const double> scales) {
  return sum_numbers(samples, [&](double x, std::size_t i) { return rounded(x * scales[i]); });
}

std::vector<double> means_of(std::span<const std::int64_t> sums, std::span<const double> scales,
                             std::int64_t count) {
  std::vector<double> means(sums.size());
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = static_cast<double>(sums[i]) / scales[i] / static_cast<double>(count);
  return means;
}

std::vector<double> square_scales(const NumberRanges& ranges) {
  constexpr double kRounding = 1.01;  // the mean may lie a little outside of the range
  const int bits = std::min(detail::bits_for(ranges.count), kMostBits);
  std::vector<double> scales(ranges.least.size());
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double width = double{ranges.greatest[i]} - double{ranges.least[i]};
    scales[i] = detail::scale_for(width * width * kRounding, bits);
  }
  return scales;
}

std::vector<std::int64_t> squares_of(ImageView<const float> samples, std::span<const double> means,
                                     std::span<const double> scales) {
  return sum_numbers(samples, [&](double x, std::size_t i) {
    return rounded((x - means[i]) * (x - means[i]) * scales[i]);
  });
}

void set_standard(std::span<const double> means, std::span<const double> mean_squares,
                  Dictionary& dictionary) {
  constexpr double kNothing = 1e-9;  // relative to the mean: smaller deviations come from rounding
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double deviation = std::sqrt(mean_squares[i]);
    const bool varies = deviation > kNothing * std::abs(means[i]) && deviation > 1e-30;
    dictionary.mean.push_back(static_cast<float>(means[i]));
    dictionary.scale.push_back(varies ? static_cast<float>(1 / deviation) : 0.0F);
  }
}

void measure_standard(ImageView<const float> samples, Dictionary& dictionary) {
  const NumberRanges ranges = ranges_of(samples);
  const std::vector<double> scales = sum_scales(ranges), squares = square_scales(ranges);
  const std::vector<double> means = means_of(sums_of(samples, scales), scales, ranges.count);
  set_standard(means, means_of(squares_of(samples, means, squares), squares, ranges.count),
               dictionary);
}

void standardize(const Dictionary& dictionary, ImageView<float> descriptors) {
  const std::size_t numbers = dictionary.scale.size();
  std::vector<float> offset(numbers);
  for (std::size_t i = 0; i < numbers; ++i) offset[i] = -(dictionary.mean[i] * dictionary.scale[i]);
  for (int y = 0; y < descriptors.height; ++y) {
    float* row = descriptors.row(y);
    for (std::size_t i = 0; i < numbers; ++i)
      row[i] = standardized(row[i], dictionary.scale[i], offset[i]);
  }
}

}  // namespace fovea::scenes
