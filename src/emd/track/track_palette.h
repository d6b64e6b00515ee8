// The colors that signatures count: learned by k-means in Lab from a target and its surround, and a
// table that gives any color its nearest one.
#pragma once
#include <fovea/core/image.h>
#include <fovea/emd/ground.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::emd {

using LabColor = std::array<float, 3>;

// CIE Lab under D65 of an sRGB color.
LabColor lab_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue);
// How far a color lies from gray.
float chroma_of(const LabColor& color);

// Five bits of red, green and blue, in this order.
inline constexpr int kColorCells = 1 << 15;

struct Palette {
  std::vector<LabColor> colors;     // all different
  std::vector<std::uint8_t> table;  // the nearest color of each cell

  int size() const { return static_cast<int>(colors.size()); }
};

// k-means with k-means++ as its start; fewer colors where samples have fewer. Serial, so that it
// depends on samples and seed alone.
Palette learn_palette(std::span<const LabColor> samples, int colors, std::uint64_t seed);

// min(|difference|, tau) / tau in whole thousandths, rounded up, which keeps the triangle
// inequality.
GroundDistance palette_distance(const Palette& palette, double tau);

}  // namespace fovea::emd
