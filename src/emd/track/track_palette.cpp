// The colors of a target and its surround: k-means (Lloyd, 1982) from k-means++ (Arthur and
// Vassilvitskii, 2007) in CIE Lab, where distances agree roughly with perceived differences. About
// 3000 samples, 16 colors and at most 25 rounds take a few milliseconds, once per target, so that
// the code is serial.
#include "emd/track/track_palette.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rgb.h"

namespace fovea::emd {
namespace {

constexpr int kRounds = 25;
constexpr double kTargetShare = 0.6;  // share of the samples that is taken from targets

float squared_distance(const LabColor& a, const LabColor& b) {
  const float l = a[0] - b[0], u = a[1] - b[1], v = a[2] - b[2];
  return l * l + u * u + v * v;
}

std::size_t nearest(std::span<const LabColor> colors, const LabColor& color) {
  std::size_t best = 0;
  float least = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < colors.size(); ++i) {
    const float distance = squared_distance(colors[i], color);
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

// k-means++: each next center is a sample, drawn with a probability proportional to its squared
// distance to the centers before.
std::vector<LabColor> first_colors(std::span<const LabColor> samples, int count, Random& random) {
  std::vector<LabColor> colors{samples[random.below(static_cast<std::uint32_t>(samples.size()))]};
  std::vector<double> least(samples.size(), std::numeric_limits<double>::max());
  while (static_cast<int>(colors.size()) < count) {
    double total = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      least[i] =
          std::min(least[i], static_cast<double>(squared_distance(samples[i], colors.back())));
      total += least[i];
    }
    if (!(total > 0)) break;  // every sample is a center already
    double left = static_cast<double>(random.uniform()) * total;
    std::size_t chosen = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (!(least[i] > 0)) continue;
      chosen = i;
      left -= least[i];
      if (left < 0) break;
    }
    colors.push_back(samples[chosen]);
  }
  return colors;
}

void improve(std::span<const LabColor> samples, std::vector<LabColor>& colors) {
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::array<double, 4>> sums(colors.size());
    for (const LabColor& sample : samples) {
      auto& sum = sums[nearest(colors, sample)];
      for (std::size_t k = 0; k < 3; ++k) sum[k] += static_cast<double>(sample[k]);
      sum[3] += 1;
    }
    bool moved = false;
    for (std::size_t i = 0; i < colors.size(); ++i) {
      if (!(sums[i][3] > 0)) continue;
      const LabColor mean{static_cast<float>(sums[i][0] / sums[i][3]),
                          static_cast<float>(sums[i][1] / sums[i][3]),
                          static_cast<float>(sums[i][2] / sums[i][3])};
      moved = moved || mean != colors[i];
      colors[i] = mean;
    }
    if (!moved) return;
  }
}

void add_from(ImageView<const std::uint8_t> image, const Rect<int>& box, int count, Random& random,
              std::vector<LabColor>& samples) {
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<int>(random.below(static_cast<std::uint32_t>(box.width)));
    const auto y = static_cast<int>(random.below(static_cast<std::uint32_t>(box.height)));
    samples.push_back(lab_at(image, box.x + x, box.y + y));
  }
}

// Returns the middle of a cell of 8 values.
std::uint8_t cell_middle(int index) { return static_cast<std::uint8_t>((index & 31) * 8 + 4); }

}  // namespace

LabColor lab_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue) {
  const fovea::detail::Lab lab =
      fovea::detail::srgb_to_lab(red / 255.0, green / 255.0, blue / 255.0);
  return {static_cast<float>(lab.l), static_cast<float>(lab.a), static_cast<float>(lab.b)};
}

LabColor lab_at(ImageView<const std::uint8_t> image, int x, int y) {
  const std::uint8_t* const pixel = &image.at(x, y);
  return image.channels == 3 ? lab_of(pixel[0], pixel[1], pixel[2])
                             : lab_of(pixel[0], pixel[0], pixel[0]);
}

float chroma_of(const LabColor& color) { return std::hypot(color[1], color[2]); }

void add_color_samples(const ColorSource& source, int count, Random& random,
                       std::vector<LabColor>& samples) {
  const auto from_target = static_cast<int>(count * kTargetShare);
  add_from(source.target_image, source.target, from_target, random, samples);
  add_from(source.surround_image, source.surround, count - from_target, random, samples);
}

Palette learn_palette(std::span<const LabColor> samples, int colors, std::uint64_t seed) {
  Random random(seed);
  Palette palette;
  palette.colors = first_colors(samples, colors, random);
  improve(samples, palette.colors);
  std::sort(palette.colors.begin(), palette.colors.end());
  palette.colors.erase(std::unique(palette.colors.begin(), palette.colors.end()),
                       palette.colors.end());
  palette.table.resize(kColorCells);
  for (int cell = 0; cell < kColorCells; ++cell)
    palette.table[static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(
        nearest(palette.colors,
                lab_of(cell_middle(cell >> 10), cell_middle(cell >> 5), cell_middle(cell))));
  return palette;
}

GroundDistance palette_distance(const Palette& palette, double tau) {
  const int count = palette.size();
  std::vector<double> costs;
  for (const LabColor& from : palette.colors) {
    for (const LabColor& to : palette.colors) {
      const double distance = std::sqrt(static_cast<double>(squared_distance(from, to)));
      costs.push_back(std::ceil(std::min(distance, tau) / tau * 1000));
    }
  }
  return {count, count, costs};
}

}  // namespace fovea::emd
