// What a natural scene is composed of: shapes with a texture of their own, each in front of those
// before it.
#pragma once
#include <fovea/core/geometry.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::cli {

struct Vec {
  double x = 0;
  double y = 0;
};

// A layer has coordinates of its own, in pixels, whose origin lies at `middle` in the picture; it
// turns around that origin.
struct Layer {
  enum class Shape : unsigned char { kEverywhere, kEllipse, kBox, kLimb, kBlob };

  Shape shape = Shape::kEllipse;
  Vec middle{};
  Vec offset{};  // of the shape's middle, in the layer's coordinates
  Vec half{};    // half of its width and height
  double turn_radians = 0;
  std::array<float, 3> color{};  // RGB, 0 to 255
  float contrast = 0;            // of the texture: the share by which it changes the color
  float shade = 0;               // how much darker the lower right is than the upper left, a share
  double coarsest = 64;          // longest wave of the texture in pixels
  double stretch = 1;            // of the texture across, as on a ground that is seen from the side
  std::uint64_t seed = 0;        // of the texture
  Vec speed{};                   // pixels per frame
  double swing_radians = 0;      // to either side, as legs and arms do
  double pace_radians = 0;       // by which the swing's phase grows per frame
  double phase_radians = 0;

  // Whether the shape covers a point, given in the layer's coordinates.
  bool covers(Vec point) const;
  // A circle around `middle` in which the shape lies.
  double reach() const;
};

// Noise whose power falls with frequency as it does in photographs: octaves of a lattice of random
// numbers, smoothly joined. About 0 on average and mostly within -1 to 1.
float natural_texture(const Layer& layer, Vec point);

// The layers of a street, the farthest first.
std::vector<Layer> natural_layers(Extent size, std::uint64_t seed);

}  // namespace fovea::cli
