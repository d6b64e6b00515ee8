// Features in single steps: from descriptors to words, and from a map of words to a histogram.
#include <fovea/core/error.h>
#include <fovea/scenes/features.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/dispatch.h"
#include "scenes/describe/bank_math.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes {
namespace {

constexpr int kBlockRows = 8192;  // descriptors that are standardized at a time

}  // namespace

std::vector<std::uint16_t> find_words(ImageView<const float> descriptors,
                                      const Dictionary& dictionary, const Exec& exec) {
  constexpr const char* kName = "find_words";
  detail::require_host(kName, "the image of descriptors", descriptors.memory);
  detail::require_shape(kName, "descriptors", descriptors, dictionary.words.width(),
                        descriptors.height, 1);
  NearestCenter nearest(dictionary.words.view(), exec);
  std::vector<std::uint16_t> words;
  words.reserve(static_cast<std::size_t>(descriptors.height));
  Image<float> points(descriptors.width, std::min(kBlockRows, std::max(descriptors.height, 1)));
  for (int first = 0; first < descriptors.height; first += kBlockRows) {
    const int count = std::min(kBlockRows, descriptors.height - first);
    const ImageView<float> some = points.view().crop(0, 0, points.width(), count);
    copy(descriptors.crop(0, first, descriptors.width, count), some);
    for (std::size_t i = 0; i < dictionary.scale.size(); ++i) {
      const float scale = dictionary.scale[i], offset = -(dictionary.mean[i] * scale);
      for (int y = 0; y < count; ++y) some.row(y)[i] = standardized(some.row(y)[i], scale, offset);
    }
    for (const std::int32_t word : nearest.find(some))
      words.push_back(static_cast<std::uint16_t>(word));
  }
  return words;
}

std::vector<float> word_histogram(ImageView<const std::uint16_t> map, int words, int pyramid) {
  constexpr const char* kName = "word_histogram";
  detail::require_host(kName, "the map", map.memory);
  if (map.empty() || map.channels != 1)
    throw InvalidArgument(
        fmt::format("{}: a map of {}x{} with {} channels, expected 1x1 or more "
                    "with 1",
                    kName, map.width, map.height, map.channels));
  if (words < kLeastWords || words > kMostWords || pyramid < 0 || pyramid > kMostPyramid)
    throw InvalidArgument(fmt::format("{}: {} words and {} levels, expected {} to {} and 0 to {}",
                                      kName, words, pyramid, kLeastWords, kMostWords,
                                      kMostPyramid));
  const auto length = static_cast<std::size_t>(words);
  std::vector<std::int64_t> counts(length * static_cast<std::size_t>(pyramid_cells(pyramid)), 0);
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      const std::uint16_t word = map.at(x, y);
      if (word >= words)
        throw InvalidArgument(fmt::format("{}: the map holds word {} at {},{}, but there are {}",
                                          kName, word, x, y, words));
      for (int level = 0; level <= pyramid; ++level) {
        const int cell = (pyramid_cell(y, map.height, level) << level) +
                         pyramid_cell(x, map.width, level) + pyramid_start(level);
        ++counts[static_cast<std::size_t>(cell) * length + word];
      }
    }
  }
  const std::int64_t total = std::int64_t{map.width} * map.height;
  std::vector<float> features;
  features.reserve(counts.size());
  for (int level = 0; level <= pyramid; ++level)
    for (std::size_t i = static_cast<std::size_t>(pyramid_start(level)) * length;
         i < static_cast<std::size_t>(pyramid_cells(level)) * length; ++i)
      features.push_back(feature_of(counts[i], total, level_weight(level, pyramid)));
  return features;
}

}  // namespace fovea::scenes
