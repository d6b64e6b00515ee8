// Pictures of labels for tests of distance maps.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <cstdint>

namespace fovea::test {

// Patches of neighboring labels with some noise: windows that are often alike, but not always.
// About one pixel in `masked_one_in` has no label (0: none).
inline Image<std::uint8_t> patchy_labels(Random& random, int width, int height, int bins,
                                         int masked_one_in = 0) {
  Image<std::uint8_t> labels(width, height);
  const auto phase = static_cast<int>(random.below(64));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int label = ((x + phase) / 9 + y / 7 * 3) % bins;
      if (random.below(16) == 0)
        label = static_cast<int>(random.below(static_cast<std::uint32_t>(bins)));
      if (masked_one_in > 0 && random.below(static_cast<std::uint32_t>(masked_one_in)) == 0)
        label = 255;
      labels.at(x, y) = static_cast<std::uint8_t>(label);
    }
  return labels;
}

}  // namespace fovea::test
