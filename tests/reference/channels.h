// The ten channels by their definition: every cell alone, nothing shared.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "people/channels/channel_cells.h"

namespace fovea::reference {

class Channels {
 public:
  Channels(ImageView<const std::uint8_t> image, people::CellOrigin origin, int columns, int rows)
      : image_(image), origin_(origin), columns_(columns), rows_(rows) {
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < columns; ++x) sums_.push_back(sum_cell(x, y));
  }

  int sum(int x, int y, int k) const { return clamped(x, y)[k]; }

  // The value of a channel before the last smoothing.
  int value(int x, int y, int channel) const {
    namespace ch = people::channels;
    const auto& cell = clamped(x, y);
    if (channel < ch::kColors) {
      const int index = ch::luminance_index(cell[0], cell[1], cell[2]);
      const ch::Luv luv = ch::luv(static_cast<float>(cell[0]), static_cast<float>(cell[1]),
                                  static_cast<float>(cell[2]), people::lightness_table()[index]);
      return std::array{luv.l, luv.u, luv.v}[channel];
    }
    x = std::clamp(x, 0, columns_ - 1);
    y = std::clamp(y, 0, rows_ - 1);
    int around = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        around += weight(dx) * weight(dy) * magnitude(x + dx, y + dy);
    const float factor = ch::normalizer(around);
    if (channel == ch::kMagnitude)
      return ch::normalized(magnitude(x, y), factor, ch::kMagnitudeScale);
    return ch::normalized(cell[channel - 1], factor, ch::kOrientationScale);
  }

  std::uint8_t byte(int x, int y, int channel) const {
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += weight(dx) * weight(dy) * value(x + dx, y + dy, channel);
    return people::channels::smoothed_cell(sum);
  }

 private:
  using Sums = std::array<int, people::channels::kSums>;
  static int weight(int d) { return d == 0 ? 2 : 1; }

  const Sums& clamped(int x, int y) const {
    return sums_[static_cast<std::size_t>(std::clamp(y, 0, rows_ - 1)) * columns_ +
                 std::clamp(x, 0, columns_ - 1)];
  }
  int magnitude(int x, int y) const {
    const Sums& cell = clamped(x, y);
    int all = 0;
    for (int k = people::channels::kColors; k < people::channels::kSums; ++k) all += cell[k];
    return all;
  }
  int smooth(int x, int y, int c) const {
    int sum = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += weight(dx) * weight(dy) * image_.at(x + dx, y + dy, c);
    return (sum + 2) / 4;
  }
  Sums sum_cell(int cell_x, int cell_y) const {
    namespace ch = people::channels;
    const int colors = image_.channels == 1 ? 1 : 3;
    Sums sums{};
    for (int i = 0; i < ch::kCell * ch::kCell; ++i) {
      const int x = origin_.x + cell_x * ch::kCell + i % ch::kCell,
                y = origin_.y + cell_y * ch::kCell + i / ch::kCell;
      int dx = 0, dy = 0, strongest = -1;
      for (int c = 0; c < ch::kColors; ++c) {
        const int from = std::min(c, colors - 1);
        sums[c] += smooth(x, y, from);
        const int right = smooth(x + 1, y, from) - smooth(x - 1, y, from),
                  down = smooth(x, y + 1, from) - smooth(x, y - 1, from);
        if (ch::strength(right, down) <= strongest) continue;
        strongest = ch::strength(right, down);
        dx = right;
        dy = down;
      }
      ch::vote(dx, dy, sums.data() + ch::kColors);
    }
    return sums;
  }

  ImageView<const std::uint8_t> image_;
  people::CellOrigin origin_;
  int columns_, rows_;
  std::vector<Sums> sums_;
};

}  // namespace fovea::reference
