// Small videos whose truth is known: colored squares on a background of colored noise.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/emd/track.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace fovea::emd {

using Rgb = std::array<int, 3>;

struct Square {
  Rect<double> box;
  Rgb left, right;  // colors of its halves
};

// Noise about a gray green, and squares on it, each pixel with some noise of its own.
inline Image<std::uint8_t> track_scene(int width, int height, std::uint64_t frame,
                                       const std::vector<Square>& squares, int channels = 3) {
  Image<std::uint8_t> image(width, height, channels);
  Random random(7, frame);
  const auto paint = [&](int x, int y, const Rgb& color, int noise) {
    for (int k = 0; k < channels; ++k) {
      const int shift =
          static_cast<int>(random.below(static_cast<std::uint32_t>(2 * noise + 1))) - noise;
      image.at(x, y, k) =
          static_cast<std::uint8_t>(std::clamp(color[static_cast<std::size_t>(k)] + shift, 0, 255));
    }
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) paint(x, y, {90, 120, 90}, 40);
  for (const Square& square : squares) {
    const auto& box = square.box;
    for (int y = static_cast<int>(box.y); y < box.y + box.height; ++y) {
      for (int x = static_cast<int>(box.x); x < box.x + box.width; ++x) {
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        paint(x, y, x < box.x + box.width / 2 ? square.left : square.right, 15);
      }
    }
  }
  return image;
}

}  // namespace fovea::emd
