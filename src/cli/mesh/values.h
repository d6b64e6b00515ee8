// A picture of a mesh whose colors represent values, with a color bar that explains them.
#pragma once
#include <fovea/report/color_map.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace fovea::cli {

// Uses the colors of mesh::value_colors() with ColorMap::kTide.
inline Image<std::uint8_t> with_value_bar(const Image<std::uint8_t>& picture,
                                          std::span<const float> values, const std::string& title) {
  Image<float> row(static_cast<int>(values.size()), 1);
  std::transform(values.begin(), values.end(), row.row(0),
                 [](float value) { return std::isfinite(value) ? value : NAN; });
  return report::with_color_bar(picture.view(),
                                {.map = report::ColorMap::kTide,
                                 .range = report::percentile_range(row.view(), 0, 100),
                                 .title = title});
}

}  // namespace fovea::cli
