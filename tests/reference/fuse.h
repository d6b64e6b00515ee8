// Suppression and mean shift of detections as in the textbook: every pair looked at, nothing left
// out.
#pragma once
#include <fovea/people/fuse.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fovea::people::reference {

inline std::vector<Detection> best_first(std::vector<Detection> detections) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  return detections;
}

inline double overlap(const Rect<float>& a, const Rect<float>& b, bool smaller) {
  const double common = intersection_area(a, b);
  return common / (smaller ? std::min(a.area(), b.area()) : a.area() + b.area() - common);
}

inline std::vector<Detection> greedy(const std::vector<Detection>& detections, double limit,
                                     bool smaller) {
  std::vector<Detection> kept;
  for (const Detection& detection : best_first(detections)) {
    bool covered = false;
    for (const Detection& better : kept)
      covered = covered || overlap(detection.box, better.box, smaller) > limit;
    if (!covered) kept.push_back(detection);
  }
  return kept;
}

using Place = std::array<double, 3>;  // x, y, log scale

inline Place place_of(const Detection& detection) {
  const Rect<float>& window = detection.window;
  return {window.x + 0.5 * window.width, window.y + 0.5 * window.height,
          std::log(static_cast<double>(detection.scale))};
}

inline Place widths_at(double scale, const FuseOptions& options) {
  return {options.width_x * scale, options.width_y * scale, std::log(options.width_scale)};
}

inline Place mode_from(Place at, const std::vector<Detection>& detections,
                       const FuseOptions& options) {
  for (int step = 0; step < 2000; ++step) {
    Place above{}, below{};
    for (const Detection& detection : detections) {
      const double t = options.weights == FuseWeights::kOne
                           ? 1
                           : detection.score - options.weight_from.value_or(0);
      if (t <= 0) continue;
      const Place widths = widths_at(detection.scale, options);
      const Place center = place_of(detection);
      double distance = 0;
      for (int k = 0; k < 3; ++k) distance += std::pow((at[k] - center[k]) / widths[k], 2);
      const double weight = t * std::exp(-distance / 2) / (widths[0] * widths[1] * widths[2]);
      for (int k = 0; k < 3; ++k) {
        above[k] += weight * center[k] / (widths[k] * widths[k]);
        below[k] += weight / (widths[k] * widths[k]);
      }
    }
    double moved = 0;
    for (int k = 0; k < 3; ++k) {
      const double next = above[k] / below[k];
      moved = std::max(moved, std::abs(next - at[k]));
      at[k] = next;
    }
    if (moved < 1e-9) break;
  }
  return at;
}

struct Mode {
  Place at;
  float score;
};

inline std::vector<Mode> mean_shift(const std::vector<Detection>& detections,
                                    const FuseOptions& options) {
  std::vector<Mode> modes;
  for (const Detection& detection : best_first(detections)) {
    if (options.weights != FuseWeights::kOne && detection.score <= options.weight_from.value_or(0))
      continue;
    const Place at = mode_from(place_of(detection), detections, options);
    const bool known = std::any_of(modes.begin(), modes.end(), [&](const Mode& mode) {
      const Place widths = widths_at(std::exp(mode.at[2]), options);
      double distance = 0;
      for (int k = 0; k < 3; ++k) distance += std::pow((at[k] - mode.at[k]) / widths[k], 2);
      return distance < 0.25;
    });
    if (!known) modes.push_back({at, detection.score});
  }
  return modes;
}

}  // namespace fovea::people::reference
