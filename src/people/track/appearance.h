// How people look: a histogram of colors for the upper and for the lower body, over a palette that
// is the same for all people and videos, so that any two can be compared.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/emd/solver.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "people/track/backend.h"

namespace fovea::people {

inline constexpr int kBodyParts = 2;

// The masses of the colors of each part. A part outside of the frame has none.
struct Look {
  std::array<std::array<float, kColors>, kBodyParts> masses{};
  bool known = false;

  // Moves towards another look by a share of the way.
  void adapt(const Look& to, double share);
};

// The palette in CIE Lab: grays, soft colors and strong ones.
std::array<std::array<float, 3>, kColors> palette_colors();
// For each cell the nearest two colors of the palette.
std::vector<CellColors> palette_table();
// The grids over both parts of a person. Arms, gaps and the ground beside the feet are left out.
std::array<PixelGrid, kBodyParts> body_grids(const Rect<float>& box);

class Appearance {
 public:
  explicit Appearance(const Exec& exec);

  // The looks of people with these boxes. The frame lies in host or device memory, and is read
  // where it lies.
  std::vector<Look> of(ImageView<const std::uint8_t> frame, std::span<const Rect<float>> boxes);

  // The difference of two looks, 0 to 1: the mean over the parts that both have of the Earth
  // Mover's Distance; 1 where they have no part in common.
  struct Pair {
    const Look* a;
    const Look* b;
  };
  std::vector<double> differences(std::span<const Pair> pairs);

 private:
  Exec exec_;
  std::vector<CellColors> table_;
  emd::Solver solver_;
};

}  // namespace fovea::people
