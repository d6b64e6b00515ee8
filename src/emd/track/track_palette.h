// The colors that signatures of the tracker and of maps count: they are learned by k-means in Lab
// from a target and its surround, with a table of the nearest one for any color.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/emd/ground.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::emd {

using LabColor = std::array<float, 3>;

// Converts an sRGB color to CIE Lab (D65).
LabColor lab_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue);
// The color of a pixel of a gray or RGB image.
LabColor lab_at(ImageView<const std::uint8_t> image, int x, int y);
// Returns how far a color is from gray.
float chroma_of(const LabColor& color);

// Five bits each of red, green and blue, in this order.
inline constexpr int kColorCells = 1 << 15;

struct Palette {
  std::vector<LabColor> colors;     // all different
  std::vector<std::uint8_t> table;  // index of the nearest color, by cell

  int size() const { return static_cast<int>(colors.size()); }
};

// Where the colors of a palette come from: a box that shows the target, and one around it. Both
// images are gray or RGB and lie in host memory.
struct ColorSource {
  ImageView<const std::uint8_t> target_image;
  Rect<int> target;
  ImageView<const std::uint8_t> surround_image;
  Rect<int> surround;
};
inline constexpr int kPaletteSamples = 3000;
// Draws `count` pixels, three fifths of them from the target.
void add_color_samples(const ColorSource& source, int count, Random& random,
                       std::vector<LabColor>& samples);

// k-means with k-means++ as its start; returns fewer colors if the samples have fewer. Serial, so
// that the result depends only on samples and seed.
Palette learn_palette(std::span<const LabColor> samples, int colors, std::uint64_t seed);

// Returns min(|difference|, tau) / tau in whole thousandths, rounded up, which keeps the triangle
// inequality.
GroundDistance palette_distance(const Palette& palette, double tau);

}  // namespace fovea::emd
