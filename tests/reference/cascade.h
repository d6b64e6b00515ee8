// Scores of a cascade's windows by the book: every cell of every block of every window is added up
// pixel by pixel, in double precision, without integral histograms.
#pragma once
#include <fovea/core/image.h>
#include <fovea/people/cascade.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fovea::reference {

struct CascadeScore {
  bool passed = false;
  double score = 0;  // of the ranking, or above the last stage's threshold
  double close = 1;  // the smallest distance of its votes from a threshold on the way
};

// The bin and length of the pixel's strongest projection onto the middle of a bin: of channels, and
// of bins, the first among equals.
inline std::pair<int, int> cascade_vote(ImageView<const std::uint8_t> image, int x, int y) {
  static constexpr std::array<std::array<int, 2>, 5> kMiddles{
      {{126, 22}, {111, 64}, {82, 98}, {44, 120}, {0, 128}}};
  std::pair<int, int> best{0, 0};
  const int left = std::max(x - 1, 0), right = std::min(x + 1, image.width - 1);
  const int above = std::max(y - 1, 0), below = std::min(y + 1, image.height - 1);
  for (int c = 0; c < std::min(image.channels, 3); ++c) {
    const int dx = image.at(right, y, c) - image.at(left, y, c);
    const int dy = image.at(x, below, c) - image.at(x, above, c);
    for (int k = 0; k < 5; ++k) {
      // Bins beyond the vertical are the first ones seen in a mirror.
      const auto& [across, down] = kMiddles[static_cast<std::size_t>(k)];
      const int straight = std::abs(across * dx + down * dy);
      const int mirrored = std::abs(across * dx - down * dy);
      if (straight > best.second) best = {k, straight};
      if (mirrored > best.second) best = {8 - k, mirrored};
    }
  }
  return {best.first, best.second / 4};
}

inline double cascade_margin(ImageView<const std::uint8_t> image, int left, int top,
                             const people::BlockClassifier& c) {
  std::array<double, 36> numbers{};
  const people::Block& b = c.block;
  const int middle_x = b.width / 4 * 2, middle_y = b.height / 4 * 2;  // on whole patches of 2x2
  for (int y = 0; y < b.height; ++y)
    for (int x = 0; x < b.width; ++x) {
      const int cell = (x >= middle_x ? 1 : 0) + (y >= middle_y ? 2 : 0);
      const auto [bin, length] = cascade_vote(image, left + b.x + x, top + b.y + y);
      numbers[static_cast<std::size_t>(cell * 9 + bin)] += length;
    }
  const double noise = 16.0 * b.width * b.height / 4;
  double square = noise * noise, product = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    square += numbers[i] * numbers[i];
    product += numbers[i] * static_cast<double>(c.weights[i]);
  }
  return product / std::sqrt(square) + static_cast<double>(c.bias);
}

// The window whose corner is the pixel (x, y) of an image that is a level already.
inline CascadeScore cascade_score(ImageView<const std::uint8_t> image, int x, int y,
                                  const people::CascadeModel& model) {
  CascadeScore result;
  double votes = 0;
  for (const people::CascadeStage& stage : model.stages) {
    if (!model.chained) votes = 0;
    for (const people::BlockClassifier& c : stage.classifiers) {
      const double margin = cascade_margin(image, x, y, c);
      if (!model.graded) result.close = std::min(result.close, std::abs(margin));
      votes += static_cast<double>(c.vote) * (model.graded ? std::clamp(margin, -1.0, 1.0)
                                              : margin < 0 ? -1.0
                                                           : 1.0);
    }
    result.score = votes - static_cast<double>(stage.threshold);
    result.close = std::min(result.close, std::abs(result.score));
    if (result.score < 0) return result;
  }
  result.passed = true;
  if (model.ranking.empty()) return result;
  result.score = 0;
  for (const people::BlockClassifier& c : model.ranking)
    result.score += cascade_margin(image, x, y, c);
  return result;
}

}  // namespace fovea::reference
