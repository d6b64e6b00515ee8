// How far each number of a descriptor varies, from sums of whole numbers. Samples may lie in parts:
// the ranges of all parts give the scales of the sums, and sums are added up, so that the result
// does not depend on how many parts there are.
#pragma once
#include <fovea/scenes/dictionary.h>

#include <cstdint>
#include <span>
#include <vector>

namespace fovea::scenes {

struct NumberRanges {
  std::int64_t count = 0;  // of samples
  std::vector<float> least{}, greatest{};

  // Throws InvalidArgument where samples have other numbers of numbers.
  void add(const NumberRanges& other);
};
NumberRanges ranges_of(ImageView<const float> samples);

// Sums that are added up exactly, one per number, and the scales of their whole numbers.
std::vector<double> sum_scales(const NumberRanges& ranges);
std::vector<std::int64_t> sums_of(ImageView<const float> samples, std::span<const double> scales);
std::vector<double> means_of(std::span<const std::int64_t> sums, std::span<const double> scales,
                             std::int64_t count);

// The same for squared differences from the means.
std::vector<double> square_scales(const NumberRanges& ranges);
std::vector<std::int64_t> squares_of(ImageView<const float> samples, std::span<const double> means,
                                     std::span<const double> scales);
// Sets mean and scale of a dictionary. A number that never varies gets the scale 0, which keeps it
// out of distances. `mean_squares` are the mean squared differences.
void set_standard(std::span<const double> means, std::span<const double> mean_squares,
                  Dictionary& dictionary);

// All of it for samples in one part.
void measure_standard(ImageView<const float> samples, Dictionary& dictionary);

// Brings descriptors, one per row, to the numbers that are compared with words. Does nothing where
// the dictionary compares them as they are.
void standardize(const Dictionary& dictionary, ImageView<float> descriptors);

}  // namespace fovea::scenes
