#pragma once
#include <fovea/core/image.h>
#include <fovea/report/color.h>

#include <cstdint>
#include <span>
#include <string>

namespace fovea::report {

struct Tile {
  ImageView<const std::uint8_t>
      image{};  // 1 or 3 channels, host memory; an empty one leaves a hole
  std::string caption{};
};

struct MontageOptions {
  int columns = 0;      // 0 makes the sheet about as wide as high
  int cell_width = 0;   // pixels; 0 is the widest picture. Larger pictures shrink, none grows
  int cell_height = 0;  // pixels; 0 is the highest picture
  int gap = 8;          // pixels between cells and around the sheet
  float text_size = 12;
  Color ink{40, 44, 52};
  Color background = kWhite;
};

// A contact sheet in RGB: pictures on a grid with captions below them, which are cut with … where
// they are too long.
FOVEA_API Image<std::uint8_t> montage(std::span<const Tile> tiles,
                                      const MontageOptions& options = {});

}  // namespace fovea::report
