// Semi-global matching and block matching as in the papers: every cost and path computed by itself.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fovea::reference {

struct StereoSettings {
  int least = 0, count = 0;
  int block = 1;
  int small_penalty = 0, large_penalty = 0;
};

// Which of 31 differences between opposite neighbors are above 2 gray levels.
inline std::uint32_t census(const Image<std::uint8_t>& image, int x, int y) {
  const auto at = [&](int i, int j) {
    return image.at(std::clamp(i, 0, image.width() - 1), std::clamp(j, 0, image.height() - 1));
  };
  std::uint32_t bits = 0, bit = 1;
  for (int dy = 0; dy <= 3; ++dy)
    for (int dx = -4; dx <= 4; ++dx) {
      if (dy == 0 && dx <= 0) continue;
      if (at(x + dx, y + dy) > at(x - dx, y - dy) + 2) bits |= bit;
      bit <<= 1U;
    }
  return bits;
}

// The sum over the block around a pixel of the bits that differ for disparity d; borders repeat.
inline int census_sum(const Image<std::uint8_t>& left, const Image<std::uint8_t>& right, int x,
                      int y, int d, int block) {
  const int radius = block / 2, width = left.width(), height = left.height();
  int sum = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const int i = std::clamp(x + dx, 0, width - 1), j = std::clamp(y + dy, 0, height - 1);
      const int there = std::clamp(i - d, 0, width - 1);
      sum += std::popcount(census(left, i, j) ^ census(right, there, j));
    }
  return sum;
}

// The sums over eight paths: element [(y * width + x) * count + i] belongs to disparity least + i.
// Candidates outside the right image cost `outside`.
inline std::vector<int> path_sums(const Image<std::uint8_t>& gray, const std::vector<int>& costs,
                                  const StereoSettings& settings) {
  const int width = gray.width(), height = gray.height(), count = settings.count;
  std::vector<int> sums(costs.size(), 0);
  const auto place = [&](int x, int y) { return (y * width + x) * count; };
  for (const auto& [dx, dy] :
       {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}, std::pair{1, 1},
        std::pair{-1, 1}, std::pair{1, -1}, std::pair{-1, -1}}) {
    std::vector<int> path(costs.size(), 0);
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        const int y = dy >= 0 ? j : height - 1 - j, x = dx >= 0 ? i : width - 1 - i;
        const int bx = x - dx, by = y - dy;
        const bool begins = bx < 0 || by < 0 || bx >= width || by >= height;
        int least = 0, large = 0;
        if (!begins) {
          const int* before = &path[static_cast<std::size_t>(place(bx, by))];
          least = *std::min_element(before, before + count);
          const int step = std::abs(gray.at(x, y) - gray.at(bx, by));
          large = std::max(settings.small_penalty,
                           static_cast<int>(settings.large_penalty / (1 + step / 24.0)));
        }
        for (int d = 0; d < count; ++d) {
          const auto at = [&](int k) { return path[static_cast<std::size_t>(place(bx, by) + k)]; };
          int best = 0;
          if (!begins) {
            best = std::min(at(d), least + large);
            if (d > 0) best = std::min(best, at(d - 1) + settings.small_penalty);
            if (d + 1 < count) best = std::min(best, at(d + 1) + settings.small_penalty);
            best -= least;
          }
          const auto here = static_cast<std::size_t>(place(x, y) + d);
          path[here] = costs[here] + best;
          sums[here] += path[here];
        }
      }
    }
  }
  return sums;
}

}  // namespace fovea::reference
