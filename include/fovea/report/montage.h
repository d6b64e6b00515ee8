#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/options.h>
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
  int columns = 0;  // 0 makes the sheet about as wide as high
  Extent cell{};    // pixels; a width of 0 is that of the widest picture, a height of 0 that of the
                    // highest. Larger pictures shrink, none grows
  int gap = 8;      // pixels between cells and around the sheet
  float text_size = 12;  // pixels
  Color ink{40, 44, 52};
  Color background = kWhite;
};
// Lists every field but the colors.
FOVEA_API void describe(OptionVisitor& visit, MontageOptions& options);

// A contact sheet in RGB: pictures on a grid with captions below them, which are cut with … where
// they are too long.
FOVEA_API Image<std::uint8_t> montage(std::span<const Tile> tiles,
                                      const MontageOptions& options = {});

}  // namespace fovea::report
