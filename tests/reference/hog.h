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

// The pixel that is shown at place i of a line: mirrored beyond its ends.
inline int hog_mirrored(int i, int size) {
  return std::clamp(i < 0 ? -i : (i >= size ? 2 * (size - 1) - i : i), 0, size - 1);
}

inline float hog_pixel(ImageView<const std::uint8_t> image, int x, int y, int c,
                       const people::HogOptions& hog) {
  x = hog_mirrored(x, image.width);
  y = hog_mirrored(y, image.height);
  const auto pixel = [&](int px, int py) {
    const float value = image.at(px, py, c);
    return hog.gamma == people::Gamma::kSquareRoot ? std::sqrt(value) : value;
  };
  if (hog.smooth <= 0) return pixel(x, y);
  const int radius = static_cast<int>(std::ceil(3 * hog.smooth));
  std::vector<double> gaussian;
  for (int k = 0; k <= radius; ++k)
    gaussian.push_back(std::exp(-k * k / (2.0 * hog.smooth * hog.smooth)));
  double sum = 0, weights = 0;
  for (int v = -radius; v <= radius; ++v)
    for (int u = -radius; u <= radius; ++u) {
      const double weight = gaussian[std::abs(u)] * gaussian[std::abs(v)];
      sum += weight * pixel(hog_mirrored(x + u, image.width), hog_mirrored(y + v, image.height));
      weights += weight;
    }
  return static_cast<float>(sum / weights);
}

// A mask as a list of pixels around and their weights, for the gradient across or down.
struct HogMask {
  struct Tap {
    int u, v;
    double weight;
  };
  Tap taps[6] = {};
  int count = 0;

  HogMask(const people::HogOptions& hog, bool down) {
    const auto set = [&](int u, int v, double weight) {
      taps[count++] = down ? Tap{v, u, weight} : Tap{u, v, weight};
    };
    switch (hog.mask) {
      case people::GradientMask::kCentered: set(1, 0, 1), set(-1, 0, -1); break;
      case people::GradientMask::kUncentered: set(1, 0, 2), set(0, 0, -2); break;
      case people::GradientMask::kCubic:
        set(-2, 0, 1. / 6), set(-1, 0, -8. / 6), set(1, 0, 8. / 6), set(2, 0, -1. / 6);
        break;
      case people::GradientMask::kSobel:
        for (const int v : {-1, 0, 1})
          set(1, v, v == 0 ? 0.5 : 0.25), set(-1, v, v == 0 ? -0.5 : -0.25);
        break;
      case people::GradientMask::kDiagonal:
        set(1, 0, 1), set(1, 1, 1), set(0, 0, -1), set(0, 1, -1);
        break;
    }
  }
  float apply(ImageView<const std::uint8_t> image, int x, int y, int c,
              const people::HogOptions& hog) const {
    double sum = 0;
    for (int k = 0; k < count; ++k)
      sum += taps[k].weight * hog_pixel(image, x + taps[k].u, y + taps[k].v, c, hog);
    return static_cast<float>(sum);
  }
};

// Of the channel with the longest gradient. Pixels and lengths are single-precision, so that
// channels with gradients of one length are told apart by the same rounding errors.
inline HogVote hog_vote(ImageView<const std::uint8_t> image, int x, int y,
                        const people::HogOptions& hog) {
  float best_dx = 0, best_dy = 0;
  const HogMask across(hog, false), down(hog, true);
  for (int c = 0; c < std::min(image.channels, 3); ++c) {
    const float dx = across.apply(image, x, y, c, hog), dy = down.apply(image, x, y, c, hog);
    if (dx * dx + dy * dy > best_dx * best_dx + best_dy * best_dy) best_dx = dx, best_dy = dy;
  }
  const double range = (hog.signed_angle ? 2 : 1) * std::numbers::pi;
  double angle = std::atan2(static_cast<double>(best_dy), static_cast<double>(best_dx));
  if (angle < 0) angle += 2 * std::numbers::pi;
  if (angle >= range) angle = hog.signed_angle ? 0 : angle - range;
  const double length = std::hypot(static_cast<double>(best_dx), static_cast<double>(best_dy));
  double weight = length;
  if (hog.vote == people::VoteWeight::kRoot) weight = std::sqrt(length);
  if (hog.vote == people::VoteWeight::kSquare) weight = length * length;
  if (hog.vote == people::VoteWeight::kBinary) weight = length >= hog.edge ? 1 : 0;
  return {weight, angle / range * hog.bins};
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
  const double width = hog.block_size().width, height = hog.block_size().height;
  const Extent cell = hog.cell_size();
  double weight = 1;
  if (hog.sigma > 0) {
    const double dx = u - width / 2, dy = v - height / 2;  // as OpenCV places it
    weight = std::exp(-(dx * dx + dy * dy) / (2.0 * hog.sigma * hog.sigma));
  }
  if (!hog.interpolate) return u / cell.width == i && v / cell.height == j ? weight : 0;
  const double x = std::abs((u + 0.5) / cell.width - (i + 0.5));
  const double y = std::abs((v + 0.5) / cell.height - (j + 0.5));
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
  const double norm = hog.norm == BlockNorm::kNone ? 0 : length();
  const double scale = 1 / (norm + static_cast<double>(hog.epsilon) * count);
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
  const Extent pixels = hog.block_size(), block = hog.block_cells();
  const int size = pixels.width;
  const bool circular = hog.shape == people::BlockShape::kCircular;
  const int center = hog.sectored_center ? hog.sectors : 1;
  const int cells = circular ? center + hog.rings * hog.sectors : block.width * block.height;
  std::vector<double> numbers(static_cast<std::size_t>(cells) * hog.bins);
  for (int v = 0; v < pixels.height; ++v) {
    for (int u = 0; u < pixels.width; ++u) {
      const HogVote vote = hog_vote(image, x + u, y + v, hog);
      if (!circular) {
        for (int i = 0; i < block.width; ++i)
          for (int j = 0; j < block.height; ++j)
            hog_add(&numbers[static_cast<std::size_t>(i * block.height + j) * hog.bins], vote,
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
      const int sector = static_cast<int>(turn * hog.sectors);
      const int part = ring > 0 ? center + (ring - 1) * hog.sectors + sector
                                : (hog.sectored_center ? sector : 0);
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
  const Extent size = hog.block_size();
  // Blocks that do not fill the window stand in its middle.
  const int left = (hog.window.width - size.width) % hog.block_stride / 2;
  const int top = (hog.window.height - size.height) % hog.block_stride / 2;
  std::vector<double> all;
  for (int bx = left; bx + size.width <= hog.window.width; bx += hog.block_stride)
    for (int by = top; by + size.height <= hog.window.height; by += hog.block_stride) {
      const auto block = hog_block(image, x + bx, y + by, hog);
      all.insert(all.end(), block.begin(), block.end());
    }
  return all;
}

}  // namespace fovea::reference
