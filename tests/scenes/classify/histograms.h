// Drawn histograms with classes, for tests of classifiers.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fovea::scenes {

struct DrawnHistograms {
  Image<float> rows;
  std::vector<std::int32_t> labels;
};

// Histograms whose class shows in where they are large; `blur` makes them alike.
inline DrawnHistograms draw_histograms(int classes, int each, int bins, float blur,
                                       std::uint64_t seed) {
  DrawnHistograms data{Image<float>(bins, classes * each), {}};
  Random random(seed);
  for (int y = 0; y < data.rows.height(); ++y) {
    const int label = y % classes;
    data.labels.push_back(label);
    float sum = 0;
    for (int x = 0; x < bins; ++x) {
      const float peak = x % classes == label ? 1.F : blur;
      const float value = random.uniform() < 0.3F ? 0 : peak * random.uniform();
      data.rows.at(x, y) = value;
      sum += value;
    }
    for (int x = 0; x < bins; ++x) data.rows.at(x, y) /= std::max(sum, 1e-3F);
  }
  return data;
}

}  // namespace fovea::scenes
