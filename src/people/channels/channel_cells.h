// The ten channels of one level, one byte per cell, and how they are computed: from pixels, or from
// the channels of another level.
#pragma once
#include <fovea/core/image.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "people/channels/channels_math.h"

namespace fovea::people {

// Lines of `stride` elements, with the ten lines of a row of cells next to each other: what a
// window reads is close together, and neighboring windows read neighboring elements. Vectors may
// read beyond the end of the last line.
template <class T, int kLines>
class CellRows {
 public:
  // Keeps its memory where that is large enough.
  void reset(int columns, int rows, std::ptrdiff_t stride) {
    columns_ = columns;
    rows_ = rows;
    stride_ = stride;
    const auto needed = static_cast<std::size_t>(stride) * rows * kLines + kOverrun;
    if (data_.size() < needed) data_.resize(needed);
  }
  void reset(int columns, int rows) { reset(columns, rows, (columns + 15) / 16 * 16); }

  int columns() const { return columns_; }
  int rows() const { return rows_; }
  std::ptrdiff_t stride() const { return stride_; }
  T* line(int row, int index) { return data_.data() + (row * kLines + index) * stride_; }
  const T* line(int row, int index) const {
    return data_.data() + (row * kLines + index) * stride_;
  }

 private:
  static constexpr int kOverrun = 64;
  int columns_ = 0;
  int rows_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<T> data_;
};

using ChannelCells = CellRows<std::uint8_t, channels::kChannels>;
using CellSums = CellRows<std::uint16_t, channels::kSums>;

// Where cell (0, 0) begins in an image that extends kReach pixels beyond all cells.
struct CellOrigin {
  int x = 0;
  int y = 0;
};

// The positions of one level's cells in another level: cell i of the level is at first + i * step
// of the other, where cell centers are integers. Beyond the border, cells are repeated.
struct CellPlacement {
  double first_x = 0;
  double step_x = 1;
  double first_y = 0;
  double step_y = 1;
  std::array<float, channels::kChannels> factor{};  // factor of each channel's values; below 1.9
};

// The tap of one position: cells index and index + 1 (where there are two), and the share of the
// latter in 128ths.
struct CellTap {
  int index = 0;
  int share = 0;
};
inline CellTap cell_tap(double place, int size) {
  if (size < 2 || place <= 0) return {0, 0};
  if (place >= size - 1) return {size - 2, 128};
  const int index = static_cast<int>(place);
  return {index, static_cast<int>((place - index) * 128 + 0.5)};
}
// The weights of the two cells of a column after the correction.
struct CellWeights {
  int above = 0;
  int below = 0;
};
inline CellWeights cell_weights(CellTap tap, float factor) {
  const auto weight = [&](int share) {
    return static_cast<int>(static_cast<float>(share) * factor + 0.5F);
  };
  return {weight(128 - tap.share), weight(tap.share)};
}

// L of CIE LUV over channels::luminance_index(), 0 to 100.
const std::vector<float>& lightness_table();

}  // namespace fovea::people

namespace fovea::people::cpu {

// The sums over the cells of `sums` (whose size gives their number): three colors and six
// orientations. The image has 1, 3 or 4 channels.
void channel_sums(ImageView<const std::uint8_t> image, CellOrigin origin, CellSums& sums,
                  const Exec& exec);
// Converts colors to LUV and normalizes votes; `values` has the size of `sums`.
void channel_values(const CellSums& sums, ChannelCells& values, const Exec& exec);
// Resamples the values of another level.
void resample_cells(const ChannelCells& from, const CellPlacement& placement, ChannelCells& to,
                    const Exec& exec);
// Smooths by [1 2 1] in both directions, the last step of all channels; beyond the border cells are
// repeated. Both have the same size.
void smooth_cells(const ChannelCells& values, ChannelCells& cells, const Exec& exec);

}  // namespace fovea::people::cpu
