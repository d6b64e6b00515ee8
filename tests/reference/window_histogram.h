// The histogram of a window as a textbook writes it: every pixel of every window.
#pragma once
#include <fovea/ops/window_histogram.h>

#include <algorithm>
#include <vector>

namespace fovea::reference {

inline std::vector<int> window_histogram_at(ImageView<const std::uint8_t> bin, int x, int y,
                                            int bins, const WindowHistogramOptions& options) {
  std::vector<int> counts(static_cast<std::size_t>(bins));
  for (int j = y - options.window.height / 2; j <= y + options.window.height / 2; ++j)
    for (int i = x - options.window.width / 2; i <= x + options.window.width / 2; ++i) {
      const bool inside = i >= 0 && i < bin.width && j >= 0 && j < bin.height;
      if (!inside && options.border == WindowBorder::kClip) continue;
      const int value = bin.at(std::clamp(i, 0, bin.width - 1), std::clamp(j, 0, bin.height - 1));
      if (value < bins) ++counts[static_cast<std::size_t>(value)];
    }
  return counts;
}

}  // namespace fovea::reference
