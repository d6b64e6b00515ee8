// The descriptor of one window by the book (Dalal and Triggs, CVPR 2005), in double precision:
// block by block, pixel by pixel, angles by arctangent.
#pragma once
#include <fovea/people/hog.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace fovea::reference {

struct HogVote {
  double magnitude = 0;
  double angle = 0;  // in bins, from 0 to bins
};

inline float hog_pixel(ImageView<const std::uint8_t> image, int x, int y, int c,
                       const people::HogOptions& hog) {
  x = x < 0 ? -x : (x >= image.width ? 2 * (image.width - 1) - x : x);
  y = y < 0 ? -y : (y >= image.height ? 2 * (image.height - 1) - y : y);
  const float value = image.at(x, y, c);
  return hog.gamma == people::Gamma::kSquareRoot ? std::sqrt(value) : value;
}

// Of the channel with the longest gradient. Pixels and lengths are single-precision, so that
// channels with gradients of one length are told apart by the same rounding errors.
inline HogVote hog_vote(ImageView<const std::uint8_t> image, int x, int y,
                        const people::HogOptions& hog) {
  float best_dx = 0, best_dy = 0;
  for (int c = 0; c < std::min(image.channels, 3); ++c) {
    const float dx = hog_pixel(image, x + 1, y, c, hog) - hog_pixel(image, x - 1, y, c, hog);
    const float dy = hog_pixel(image, x, y + 1, c, hog) - hog_pixel(image, x, y - 1, c, hog);
    if (dx * dx + dy * dy > best_dx * best_dx + best_dy * best_dy) best_dx = dx, best_dy = dy;
  }
  const double range = (hog.signed_angle ? 2 : 1) * std::numbers::pi;
  double angle = std::atan2(static_cast<double>(best_dy), static_cast<double>(best_dx));
  if (angle < 0) angle += 2 * std::numbers::pi;
  if (angle >= range) angle = hog.signed_angle ? 0 : angle - range;
  return {std::hypot(static_cast<double>(best_dx), static_cast<double>(best_dy)),
          angle / range * hog.bins};
}

// Adds a vote of some weight to a histogram.
inline void hog_add(double* histogram, const HogVote& vote, double weight,
                    const people::HogOptions& hog) {
  if (!hog.interpolate) {
    histogram[static_cast<int>(vote.angle) % hog.bins] += weight * vote.magnitude;
    return;
  }
  const double place = vote.angle - 0.5;
  const int low = static_cast<int>(std::floor(place));
  const double share = place - low;
  histogram[(low + hog.bins) % hog.bins] += weight * vote.magnitude * (1 - share);
  histogram[(low + 1) % hog.bins] += weight * vote.magnitude * share;
}

// Weight of pixel (u, v) of a rectangular block in its cell (i, j).
inline double hog_weight(int u, int v, int i, int j, const people::HogOptions& hog) {
  const double size = hog.block * hog.cell;
  double weight = 1;
  if (hog.sigma > 0) {
    const double dx = u - size / 2, dy = v - size / 2;  // as OpenCV places it
    weight = std::exp(-(dx * dx + dy * dy) / (2.0 * hog.sigma * hog.sigma));
  }
  if (!hog.interpolate) return u / hog.cell == i && v / hog.cell == j ? weight : 0;
  const double x = std::abs((u + 0.5) / hog.cell - (i + 0.5));
  const double y = std::abs((v + 0.5) / hog.cell - (j + 0.5));
  return weight * std::max(0.0, 1 - x) * std::max(0.0, 1 - y);
}

inline void hog_normalize(double* numbers, int count, const people::HogOptions& hog) {
  using people::BlockNorm;
  const bool squares = hog.norm == BlockNorm::kL2 || hog.norm == BlockNorm::kL2Hys;
  const auto length = [&] {
    double sum = 0;
    for (int e = 0; e < count; ++e) sum += squares ? numbers[e] * numbers[e] : numbers[e];
    return squares ? std::sqrt(sum) : sum;
  };
  const double scale = 1 / (length() + 0.1 * count);
  for (int e = 0; e < count; ++e) {
    numbers[e] *= scale;
    if (hog.norm == BlockNorm::kL1Sqrt) numbers[e] = std::sqrt(numbers[e]);
    if (hog.norm == BlockNorm::kL2Hys)
      numbers[e] = std::min(numbers[e], static_cast<double>(hog.clip));
  }
  if (hog.norm != BlockNorm::kL2Hys) return;
  const double again = 1 / (length() + 1e-3);
  for (int e = 0; e < count; ++e) numbers[e] *= again;
}

// The block whose first pixel is (x, y).
inline std::vector<double> hog_block(ImageView<const std::uint8_t> image, int x, int y,
                                     const people::HogOptions& hog) {
  const int size = hog.block * hog.cell;
  const bool circular = hog.shape == people::BlockShape::kCircular;
  const int cells = circular ? 1 + hog.rings * hog.sectors : hog.block * hog.block;
  std::vector<double> numbers(static_cast<std::size_t>(cells) * hog.bins);
  for (int v = 0; v < size; ++v) {
    for (int u = 0; u < size; ++u) {
      const HogVote vote = hog_vote(image, x + u, y + v, hog);
      if (!circular) {
        for (int i = 0; i < hog.block; ++i)
          for (int j = 0; j < hog.block; ++j)
            hog_add(&numbers[static_cast<std::size_t>(i * hog.block + j) * hog.bins], vote,
                    hog_weight(u, v, i, j, hog), hog);
        continue;
      }
      const double dx = u + 0.5 - size / 2.0, dy = v + 0.5 - size / 2.0;
      const double radius = std::hypot(dx, dy);
      if (radius > size / 2.0) continue;
      double outer = size / 2.0;
      int ring = hog.rings;
      while (ring > 0 && radius <= outer / 2) --ring, outer /= 2;
      double turn = std::atan2(dy, dx) / (2 * std::numbers::pi);
      if (turn < 0) turn += 1;
      const int part =
          ring == 0 ? 0 : 1 + (ring - 1) * hog.sectors + static_cast<int>(turn * hog.sectors);
      const double weight =
          hog.sigma > 0 ? std::exp(-radius * radius / (2.0 * hog.sigma * hog.sigma)) : 1;
      hog_add(&numbers[static_cast<std::size_t>(part) * hog.bins], vote, weight, hog);
    }
  }
  hog_normalize(numbers.data(), static_cast<int>(numbers.size()), hog);
  return numbers;
}

// The window whose first pixel is (x, y).
inline std::vector<double> hog_window(ImageView<const std::uint8_t> image, int x, int y,
                                      const people::HogOptions& hog) {
  const int size = hog.block * hog.cell;
  std::vector<double> all;
  for (int bx = 0; bx + size <= hog.window.width; bx += hog.block_stride)
    for (int by = 0; by + size <= hog.window.height; by += hog.block_stride) {
      const auto block = hog_block(image, x + bx, y + by, hog);
      all.insert(all.end(), block.begin(), block.end());
    }
  return all;
}

}  // namespace fovea::reference
