// The receiver operating characteristic: pixels are sorted by score, and those with equal scores
// are taken together. The area is counted in whole pairs of pixels (Mann and Whitney's U).
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/detect.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace fovea::emd {
namespace {

struct Scored {
  float score;
  bool target;
};

void require_size(const char* what, int width, int height, ImageView<const float> score) {
  if (width != score.width || height != score.height)
    throw InvalidArgument(fmt::format("roc: the {} is {}x{}; the scores are {}x{}", what, width,
                                      height, score.width, score.height));
}

std::vector<Scored> collect(ImageView<const float> score, ImageView<const std::uint8_t> truth,
                            ImageView<const std::uint8_t> counted) {
  std::vector<Scored> pixels;
  for (int y = 0; y < score.height; ++y) {
    for (int x = 0; x < score.width; ++x) {
      if (!counted.empty() && counted.at(x, y) == 0) continue;
      const float value = score.at(x, y);
      if (std::isnan(value))
        throw InvalidArgument(fmt::format("roc: the score at {}, {} is not a number", x, y));
      pixels.push_back({value, truth.at(x, y) != 0});
    }
  }
  return pixels;
}

}  // namespace

std::span<const Choice> choices(TargetScore) {
  static constexpr std::array<Choice, 2> kChoices{{{"low", static_cast<int>(TargetScore::kLow)},
                                                   {"high", static_cast<int>(TargetScore::kHigh)}}};
  return kChoices;
}

Roc roc(ImageView<const float> score, ImageView<const std::uint8_t> truth, TargetScore sense,
        ImageView<const std::uint8_t> counted) {
  require_size("truth", truth.width, truth.height, score);
  if (!counted.empty()) require_size("mask", counted.width, counted.height, score);
  if (score.channels != 1 || truth.channels != 1 || (!counted.empty() && counted.channels != 1))
    throw InvalidArgument("roc: scores, truth and mask must have one channel each");
  const Image<float> scores = clone(score);
  const Image<std::uint8_t> truths = clone(truth);
  const Image<std::uint8_t> marks = counted.empty() ? Image<std::uint8_t>() : clone(counted);
  std::vector<Scored> pixels = collect(scores, truths, marks);
  Roc result;
  result.positives =
      std::count_if(pixels.begin(), pixels.end(), [](const Scored& pixel) { return pixel.target; });
  result.negatives = std::ssize(pixels) - result.positives;
  if (result.positives == 0 || result.negatives == 0)
    throw InvalidArgument(
        fmt::format("roc: {} pixels of the target and {} of the background; expected some of each",
                    result.positives, result.negatives));
  const bool low = sense == TargetScore::kLow;
  std::sort(pixels.begin(), pixels.end(), [&](const Scored& a, const Scored& b) {
    return low ? a.score < b.score : a.score > b.score;
  });
  const auto positives = static_cast<double>(result.positives);
  const auto negatives = static_cast<double>(result.negatives);
  std::int64_t found = 0, mistaken = 0;
  std::int64_t half_pairs =
      0;  // twice the number of pairs in which the target's pixel scores better
  result.curve.push_back({.threshold = pixels.front().score});
  for (std::size_t i = 0; i < pixels.size();) {
    const float value = pixels[i].score;
    std::int64_t hits = 0, misses = 0;
    for (; i < pixels.size() && pixels[i].score == value; ++i) ++(pixels[i].target ? hits : misses);
    half_pairs += misses * (2 * found + hits);
    found += hits;
    mistaken += misses;
    result.curve.push_back(
        {value, static_cast<double>(mistaken) / negatives, static_cast<double>(found) / positives});
  }
  result.area = static_cast<double>(half_pairs) / (2 * positives * negatives);
  return result;
}

}  // namespace fovea::emd
