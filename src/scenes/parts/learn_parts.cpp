// Learns a dictionary from samples in parts: as learn_words() does, with sums that parts answer.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ops/kmeans/run.h"
#include "scenes/describe/describe.h"
#include "scenes/parts/parted_engine.h"
#include "scenes/parts/ranges.h"
#include "scenes/words/learn.h"

namespace fovea::scenes {
namespace {

NumberRanges ask_ranges(PartsAsker& asker) {
  const RoundAnswer answer =
      asker.ask({.kind = RoundKind::kRanges}, static_cast<std::size_t>(asker.parts()));
  asker.set_counts(answer.wholes);
  return ranges_in(answer.rows, asker.samples());
}

void check_ranges(const NumberRanges& ranges, const DescriptorOptions& descriptor,
                  const DictionaryOptions& options) {
  check_learning(ranges.count, descriptor, options);
  if (ranges.count > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(fmt::format("learn_dictionary: {} samples, expected at most {}",
                                      ranges.count, std::numeric_limits<std::int32_t>::max()));
  const auto numbers = static_cast<std::size_t>(dimensions(descriptor));
  if (ranges.least.size() != numbers)
    throw InvalidArgument(
        fmt::format("learn_dictionary: samples of {} numbers, but such descriptors have {}; give "
                    "the options with which samples were drawn",
                    ranges.least.size(), numbers));
}

void ask_standard(PartsAsker& asker, const NumberRanges& ranges, Dictionary& dictionary) {
  const std::vector<double> scales = sum_scales(ranges), squares = square_scales(ranges);
  const std::vector<double> means =
      means_of(asker.ask({.kind = RoundKind::kSums, .numbers = scales}, scales.size()).wholes,
               scales, ranges.count);
  std::vector<double> numbers = means;
  numbers.insert(numbers.end(), squares.begin(), squares.end());
  const RoundAnswer answer =
      asker.ask({.kind = RoundKind::kSquares, .numbers = numbers}, squares.size());
  set_standard(means, means_of(answer.wholes, squares, ranges.count), dictionary);
}

// Standardizing keeps the order of numbers, so that the largest are those of the ends.
detail::KmeansSurvey survey_of(const NumberRanges& ranges, const Dictionary& dictionary) {
  const auto numbers = static_cast<int>(ranges.least.size());
  Image<float> ends = range_rows(ranges);
  standardize(dictionary, ends.view());
  detail::KmeansSurvey survey;
  for (int i = 0; i < numbers; ++i) {
    survey.largest.push_back(std::max(std::abs(ends.at(i, 0)), std::abs(ends.at(i, 1))));
    if (!(survey.largest.back() <= detail::KmeansLimits::kLargest))
      throw InvalidArgument(
          fmt::format("learn_dictionary: number {} of a sample is {}, expected finite ones up to "
                      "{:g}",
                      i, survey.largest.back(), detail::KmeansLimits::kLargest));
  }
  return survey;
}

}  // namespace

Dictionary learn_dictionary(const SampleParts& parts, const AskParts& ask,
                            const DescriptorOptions& descriptor, const DictionaryOptions& options) {
  if (parts.count < 1)
    throw InvalidArgument(
        fmt::format("learn_dictionary: there are {} parts, expected at least 1", parts.count));
  if (!parts.samples.empty() && std::ssize(parts.samples) != parts.count)
    throw InvalidArgument(
        fmt::format("learn_dictionary: there are {} parts, but hashes of the samples of {}",
                    parts.count, parts.samples.size()));
  require_samples_only(options);
  if (options.kmeans.batch > 0)
    throw InvalidArgument(
        fmt::format("learn_dictionary: samples in parts cannot be looked at in mini-batches; "
                    "expected a batch of 0, not of {}",
                    options.kmeans.batch));
  PartsAsker asker(parts, ask);
  const NumberRanges ranges = ask_ranges(asker);
  check_ranges(ranges, descriptor, options);
  LearnedWords learned;
  Dictionary& dictionary = learned.dictionary;
  dictionary.descriptor = descriptor;
  dictionary.descriptor.exec = {};
  if (options.standardize) {
    ask_standard(asker, ranges, dictionary);
    asker.set_standard(dictionary);
  }
  PartedEngine engine(asker, survey_of(ranges, dictionary), options.exec);
  take_words(detail::run_kmeans(engine, engine.survey(), static_cast<int>(ranges.count),
                                word_kmeans(options)),
             ranges.count, options, learned);
  const std::vector<std::int64_t> chosen = code_samples(ranges.count, options);
  if (!chosen.empty()) learn_code_from(asker.rows(chosen).view(), options, dictionary);
  return std::move(learned.dictionary);
}

}  // namespace fovea::scenes
