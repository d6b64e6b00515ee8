#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options.h>
#include <fovea/report/color.h>
#include <fovea/report/draw.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fovea::report {

// Equal steps of value are equal steps to the eye (OKLab distance); with kGray, equal steps of
// gray.
enum class ColorMap : unsigned char {
  kEmber,    // sequential: black, plum, red, orange, pale yellow; lightness rises throughout
  kTide,     // sequential: deep blue, teal, green, pale yellow; lightness rises throughout
  kGray,     // sequential: black to white
  kBalance,  // diverging: blue, near white in the middle, red; both arms alike in lightness
  kPhase,    // cyclic, of one lightness: for angles and other values that wrap
};
FOVEA_API std::span<const Choice> choices(ColorMap);

// The color at t from 0 to 1; beyond, the nearest end (kPhase wraps around). NaN is 0.
FOVEA_API Color color_at(ColorMap map, double t);
// `count` colors at even steps from one end to the other (kPhase: once around).
FOVEA_API std::vector<Color> colors(ColorMap map, int count);

struct ValueRange {
  double low = 0;
  double high = 1;
};
// The values between which all but the given percentages of the finite ones lie, exactly. Where
// they are all alike the range is widened; where there are none it is 0 to 1.
FOVEA_API ValueRange percentile_range(ImageView<const float> values, double low_percent = 1,
                                      double high_percent = 99);

struct ColorMapOptions {
  ColorMap map = ColorMap::kEmber;
  bool automatic = true;        // take the range from the percentiles instead of low and high
  double low = 0;               // value of the map's beginning; lower values look like it
  double high = 1;              // value of the map's end; may be below `low`, which turns the map
  double low_percent = 1;       // percent of the values below the automatic range
  double high_percent = 99;     // percent of the values below its end
  bool symmetric = false;       // the automatic range has 0 in its middle, for kBalance
  Color missing{214, 64, 196};  // the color of NaN; infinities look like the ends
};
FOVEA_API void describe(OptionVisitor& visit, ColorMapOptions& options);

// The range that the options mean for these values.
FOVEA_API ValueRange value_range(ImageView<const float> values,
                                 const ColorMapOptions& options = {});
// An RGB picture of one channel of values in host memory.
FOVEA_API Image<std::uint8_t> apply_color_map(ImageView<const float> values,
                                              const ColorMapOptions& options = {});

struct ColorBarStyle {
  ColorMap map = ColorMap::kEmber;
  ValueRange range{};
  std::string title{};  // with its unit
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
