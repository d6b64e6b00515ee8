// Integral histograms of all levels of a frame on the device, on the grid of 2x2 pixels that a
// cascade reads.
#pragma once
#include <vector>

#include "people/cascade/cascade_math.h"
#include "people/level_images_cuda.cuh"

namespace fovea::people::cuda {

// The histograms of one level, or of one phase of it: where the stride is odd every other window
// lies half a patch off. Position (x, y) of plane b lies at sums[first + (b * height + y) * pitch +
// at(x)]. Positions are dealt out to kParts parts where windows are as many patches apart, so that
// neighboring windows read neighboring numbers.
struct SumsSheet {
  static constexpr int kParts = 4;

  int level;
  int x, y;             // its first pixel
  int patches, height;  // patches of a row; rows of positions, one more than there are of patches
  int pitch, part;
  bool dealt;
  std::int64_t first;
  int column, row, every;  // windows column, column + every, ...; rows likewise
  int columns, rows;       // how many of them
  int step;                // patches from a window to the next

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
