#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/report/color.h>
#include <fovea/report/draw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::report {

// Maps numbers to colors. Equal steps of the value look like equal steps (OKLab distance); with
// kGray they are equal steps of the gray level.
enum class ColorMap : unsigned char {
  kEmber,    // sequential: black, plum, red, orange, pale yellow; lightness rises throughout
  kTide,     // sequential: deep blue, teal, green, pale yellow; lightness rises throughout
  kGray,     // sequential: black to white
  kBalance,  // diverging: blue, near white in the middle, red; both arms alike in lightness
  kPhase,    // cyclic, with constant lightness: for angles and other values that wrap around
};
FOVEA_API std::span<const Choice> choices(ColorMap);

// The color at t, which goes from 0 to 1. Beyond that the nearest end is used (kPhase wraps
// around). NaN counts as 0.
FOVEA_API Color color_at(ColorMap map, double t);
// `count` colors at even steps from one end to the other, or once around for kPhase.
FOVEA_API std::vector<Color> colors(ColorMap map, int count);

struct ValueRange {
  double low = 0;
  double high = 1;
};
// The exact percentiles of the finite values; NaN and infinities are ignored. Where all values are
// equal the range is widened, and without any finite value it is 0 to 1.
FOVEA_API ValueRange percentile_range(ImageView<const float> values, double low_percent = 1,
                                      double high_percent = 99);

struct ColorMapOptions {
  ColorMap map = ColorMap::kEmber;
  bool automatic = true;        // take the range from the percentiles instead of low and high
  double low = 0;               // value of the map's beginning, also for lower values
  double high = 1;              // value of the map's end; below `low` it reverses the map
  double low_percent = 1;       // percent of the values below the automatic range
  double high_percent = 99;     // percent of the values below its end
  bool symmetric = false;       // the automatic range has 0 in its middle, for kBalance
  Color missing{214, 64, 196};  // the color of NaN; infinities have the colors of the ends
};
FOVEA_API void describe(OptionVisitor& visit, ColorMapOptions& options);

// The range of values that these options give.
FOVEA_API ValueRange value_range(ImageView<const float> values,
                                 const ColorMapOptions& options = {});
// An RGB picture of values, which have one channel and lie in host memory.
FOVEA_API Image<std::uint8_t> apply_color_map(ImageView<const float> values,
                                              const ColorMapOptions& options = {});

struct ColorBarStyle {
  ColorMap map = ColorMap::kEmber;
  ValueRange range{};
  std::string title{};  // should include the unit
  Color ink = kBlack;
  Color background = kWhite;
  float text_size = 12;
};
// Fills the view with a bar along its longer side, ticks, numbers and title.
FOVEA_API void draw_color_bar(Canvas image, const ColorBarStyle& style = {});
// A copy of the picture with a bar of its height to its right.
FOVEA_API Image<std::uint8_t> with_color_bar(ImageView<const std::uint8_t> picture,
                                             const ColorBarStyle& style = {});

}  // namespace fovea::report
