// Integral histograms of all levels of a frame on the device, on the grid of 2x2 pixels that a
// cascade reads.
#pragma once
#include <vector>

#include "people/cascade/cascade_math.h"
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

// The histograms of one level, or of one phase of it: where the stride is odd, every other window
// is shifted by half a patch. Position (x, y) of plane b is at sums[first + (b * height + y) *
// pitch + at(x)]. Where windows are kParts patches apart, positions are distributed over kParts
// parts, so that neighboring windows read neighboring numbers.
struct SumsSheet {
  static constexpr int kParts = 4;

  int level;
  int x, y;  // its first pixel
  int patches,
      height;  // patches per row; rows of positions, which are one more than rows of patches
  int pitch, part;
  bool dealt;
  std::int64_t first;
  int column, row, every;  // the windows column, column + every, ..., and the same for rows
  int columns, rows;       // number of these windows
  int step;                // patches from one window to the next

  FOVEA_HD int at(int position) const {
    return dealt ? position % kParts * part + position / kParts : position;
  }
};

class CascadeSums {
 public:
  void lay_out(Session& session, const LevelImages& images, const ScanPlan& plan);
  void build(Session& session, LevelImages& images);

  const std::vector<SumsSheet>& sheets() const { return sheets_; }
  const SumsSheet* device_sheets() { return device_sheets_.data(); }
  const std::uint32_t* sums() { return sums_.data(); }

 private:
  std::vector<SumsSheet> sheets_;
  std::size_t row_tiles_ = 0, column_tiles_ = 0;
  KeptBuffer<SumsSheet> device_sheets_;
  KeptBuffer<Tile> row_tiles_on_device_, column_tiles_on_device_;
  KeptBuffer<std::uint32_t> sums_;
};

}  // namespace fovea::people::cuda
