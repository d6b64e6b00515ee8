// Colours of faces, by segment or by value.
#include <fovea/mesh/show.h>

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
  std::vector<report::Colour> colours;
  if (values.empty()) return colours;
  Image<float> row(static_cast<int>(values.size()), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    row.at(static_cast<int>(i), 0) = std::isfinite(values[i]) ? values[i] : NAN;
  const Image<std::uint8_t> picture = report::apply_colour_map(
      row, {.map = map, .low_percent = 0, .high_percent = 100, .missing = {150, 150, 150}});
  colours.reserve(values.size());
  for (int i = 0; i < picture.width(); ++i)
    colours.push_back({picture.at(i, 0, 0), picture.at(i, 0, 1), picture.at(i, 0, 2)});
  return colours;
}

}  // namespace fovea::mesh
