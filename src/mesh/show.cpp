// Colours of faces, by segment or by value.
#include <fovea/error.h>
#include <fovea/mesh/show.h>

#include <algorithm>
#include <cmath>

#include "report/oklab.h"

namespace fovea::mesh {

std::vector<report::Colour> segment_colours(std::span<const std::int32_t> labels) {
  std::vector<report::Colour> colours;
  colours.reserve(labels.size());
  for (const std::int32_t label : labels) {
    if (label < report::kPaletteSize) {
      colours.push_back(report::palette(label));
      continue;
    }
    // Beyond the palette hues go on by the golden angle, which never comes near an earlier one
    // soon.
    constexpr double kGolden = 137.50776405;
    const double turn = std::fmod(kGolden * label, 360);
    colours.push_back(report::to_colour(report::oklch(0.55 + 0.06 * (label % 5), 0.13, turn)));
  }
  return colours;
}

std::vector<report::Colour> value_colours(std::span<const float> values, report::ColourMap map) {
  Image<float> row(static_cast<int>(values.size()), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    row.at(static_cast<int>(i), 0) = std::isfinite(values[i]) ? values[i] : NAN;
  const report::ValueRange range = report::percentile_range(row.view(), 0, 100);
  std::vector<report::Colour> colours;
  colours.reserve(values.size());
  for (const float value : values) {
    constexpr report::Colour kMissing{150, 150, 150};
    if (!std::isfinite(value)) colours.push_back(kMissing);
    else colours.push_back(report::colour_at(map, (value - range.low) / (range.high - range.low)));
  }
  return colours;
}

}  // namespace fovea::mesh
