// The colors of frames with any number of bands: k-means over vectors of bands, each band scaled
// by its variance and by how much of that is more than noise.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/emd/ground.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace fovea::emd {

// A palette over bands, as the twins of label_bands() read it.
struct BandTable {
  int bands = 0;
  int colors = 0;
  bool shape = false;            // samples are divided by the root mean square of their pixel
  std::vector<float> offset{};   // per band: what is subtracted,
  std::vector<float> scale{};    // and what the rest is multiplied by; 0 leaves a band out
  std::vector<float> centers{};  // scaled; one row of colors per band

  float center(int band, int color) const {
    return centers[static_cast<std::size_t>(band) * static_cast<std::size_t>(colors) +
                   static_cast<std::size_t>(color)];
  }
};

// Pixels from which bands are learned: one column per pixel, one plane per band, and beside each
// pixel a neighbor of it, whose difference shows the noise.
struct BandSamples {
  Stack<float> pixels{};
  Stack<float> neighbors{};
};
// Where they come from, as in ColorSource. Both frames lie in host memory and have the same bands.
struct BandSource {
  StackView<const float> target_frame;
  Rect<int> target;
  StackView<const float> surround_frame;
  Rect<int> surround;
};
// Draws `count` pixels of each source, three fifths of them from the target. Pixels that no band
// measured are drawn too and have no effect.
BandSamples draw_band_samples(const std::vector<BandSource>& sources, int count, Random& random);

struct BandPaletteOptions {
  int colors = 16;
  bool shape = false;
  std::uint64_t seed = 0;
  Exec exec{};  // device and progress are not used
};
// Scales bands and finds colors: k-means with k-means++ as its start. Fewer colors are returned
// where samples have fewer. The result depends on samples, options and seed, not on threads. The
// mean square of all scaled samples is 1.
BandTable learn_bands(const BandSamples& samples, const BandPaletteOptions& options);

// Distances between colors in whole thousandths of tau, as palette_distance() has them. Without
// tau it is the mean distance between two colors.
GroundDistance band_distance(const BandTable& table, std::optional<double> tau);

}  // namespace fovea::emd
