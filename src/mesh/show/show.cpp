// Colors of faces, by segment or by value.
#include <fovea/mesh/show.h>

#include <algorithm>
#include <cmath>

#include "report/oklab.h"

namespace fovea::mesh {

std::vector<report::Color> part_colors(std::span<const std::int32_t> labels) {
  std::vector<report::Color> colors;
  colors.reserve(labels.size());
  for (const std::int32_t label : labels) {
    if (label < report::kPaletteSize) {
      colors.push_back(report::palette(label));
      continue;
    }
    // Beyond the palette, hues advance by the golden angle, so that consecutive hues stay far
    // apart.
    constexpr double kGolden = 137.50776405;
    const double turn = std::fmod(kGolden * label, 360);
    colors.push_back(report::to_color(report::oklch(0.55 + 0.06 * (label % 5), 0.13, turn)));
  }
  return colors;
}

std::vector<report::Color> value_colors(std::span<const float> values, report::ColorMap map) {
  std::vector<report::Color> colors;
  if (values.empty()) return colors;
  Image<float> row(static_cast<int>(values.size()), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    row.at(static_cast<int>(i), 0) = std::isfinite(values[i]) ? values[i] : NAN;
  const Image<std::uint8_t> picture = report::apply_color_map(
      row, {.map = map, .low_percent = 0, .high_percent = 100, .missing = {150, 150, 150}});
  colors.reserve(values.size());
  for (int i = 0; i < picture.width(); ++i)
    colors.push_back({picture.at(i, 0, 0), picture.at(i, 0, 1), picture.at(i, 0, 2)});
  return colors;
}

Image<std::uint8_t> with_value_bar(ImageView<const std::uint8_t> picture,
                                   std::span<const float> values, const std::string& title) {
  Image<float> row(static_cast<int>(values.size()), 1);
  std::transform(values.begin(), values.end(), row.row(0),
                 [](float value) { return std::isfinite(value) ? value : NAN; });
  return report::with_color_bar(picture, {.map = report::ColorMap::kTide,
                                          .range = report::percentile_range(row.view(), 0, 100),
                                          .title = title});
}

}  // namespace fovea::mesh
