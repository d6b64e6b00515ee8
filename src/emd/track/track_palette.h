// The colours that signatures count: learnt by k-means in Lab from a target and its surround, and a
// table that gives any colour its nearest one.
#pragma once
#include <fovea/emd/ground.h>
#include <fovea/image.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::emd {

using LabColour = std::array<float, 3>;

// CIE Lab under D65 of an sRGB colour.
LabColour lab_of(std::uint8_t red, std::uint8_t green, std::uint8_t blue);
// How far a colour lies from grey.
float chroma_of(const LabColour& colour);

// Five bits of red, green and blue, in this order.
inline constexpr int kColourCells = 1 << 15;

struct Palette {
  std::vector<LabColour> colours;   // all different
  std::vector<std::uint8_t> table;  // the nearest colour of each cell

  int size() const { return static_cast<int>(colours.size()); }
};

// k-means with k-means++ as its start; fewer colours where samples have fewer. Serial, so that it
// depends on samples and seed alone.
Palette learn_palette(std::span<const LabColour> samples, int colours, std::uint64_t seed);

// min(|difference|, tau) / tau in whole thousandths, rounded up, which keeps the triangle
// inequality.
GroundDistance palette_distance(const Palette& palette, double tau);

}  // namespace fovea::emd
