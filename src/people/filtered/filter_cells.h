// The channels of a level filtered by a bank: bytes that trees read, and their arithmetic.
#pragma once
#include <fovea/people/filtered.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "people/channels/channel_levels.h"

namespace fovea::people {

namespace filtered {

// Cells on each side of a cell that a filter reads.
constexpr int kReach = FilterBank::kSide / 2;
// What is subtracted from values before they are weighed.
constexpr int kMiddle = 128;
// The greatest sum of a filter's absolute weights, so that responses fit 16 bits.
constexpr int kMostWeight = 255;
constexpr int kMostFilters = 8;

// The byte of a response.
FOVEA_HD inline std::uint8_t filtered_value(int response, int gain, int offset) {
  const int value = ((response * gain) >> 16) + offset;
  return static_cast<std::uint8_t>(value < 0 ? 0 : (value > 255 ? 255 : value));
}

}  // namespace filtered

inline ChannelPyramid pyramid_of(const FilteredModel& model) {
  return {model.exact_per_octave, model.decay, false, filtered::kReach};
}

// Lines of `stride` bytes; those of a row of cells, one for each filter of each channel, are next
// to each other. Vectors may read beyond the end of the last line.
class FilteredCells {
 public:
  // Keeps its memory where that is large enough.
  void reset(Extent cells, int lines, std::ptrdiff_t stride) {
    cells_ = cells;
    lines_ = lines;
    stride_ = stride;
    const auto needed = static_cast<std::size_t>(stride) * cells.height * lines + kOverrun;
    if (data_.size() < needed) data_.resize(needed);
  }
  Extent cells() const { return cells_; }
  int lines() const { return lines_; }
  std::ptrdiff_t stride() const { return stride_; }
  std::uint8_t* line(int row, int index) {
    return data_.data() + (static_cast<std::ptrdiff_t>(row) * lines_ + index) * stride_;
  }
  const std::uint8_t* line(int row, int index) const {
    return data_.data() + (static_cast<std::ptrdiff_t>(row) * lines_ + index) * stride_;
  }

 private:
  static constexpr int kOverrun = 64;
  Extent cells_{};
  int lines_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint8_t> data_;
};

}  // namespace fovea::people

namespace fovea::people::cpu {

// Filters all cells that have filtered::kReach others on each side: the first cell of `out` is that
// at (kReach, kReach) of `values`, and its stride is the same.
void filter_cells(const ChannelCells& values, const FilterBank& bank, FilteredCells& out,
                  const Exec& exec);

}  // namespace fovea::people::cpu
