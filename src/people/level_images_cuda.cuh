// All padded levels of a frame on the device, in one buffer and by one launch, for the CUDA twins
// of all kinds. What depends on the sizes alone (tables of levels and tiles) is computed once and
// kept while the size of frames stays the same.
#pragma once
#include <fovea/people/scan.h>

#include <cstdint>
#include <vector>

#include "core/kept_buffer.cuh"
#include "ops/resize/resize_math.h"

namespace fovea::people::cuda {

using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::KeptBuffer;
using fovea::cuda::Session;

// A level as kernels read it. The rows of the padded image begin at `offset` and are `stride` bytes
// apart.
struct DeviceLevel {
  int width, height;              // including the padding
  int inner_width, inner_height;  // without the padding
  int first_tap;  // its first tap: one per column of the padded image, then one per row
  std::int64_t offset;
  int stride;
  int columns, rows;          // number of windows
  std::int64_t first_window;  // number of its window (0, 0) among the windows of all levels
};

// A piece of a level that one block of threads works on.
struct Tile {
  int level;
  int x, y;
};

// Tiles of `width` x `height` that cover `extent(level)` of every level, level after level.
template <class ExtentOf>
std::vector<Tile> tiles_over(const std::vector<DeviceLevel>& levels, Extent tile,
                             ExtentOf extent_of) {
  std::vector<Tile> tiles;
  for (int i = 0; i < static_cast<int>(levels.size()); ++i) {
    const Extent extent = extent_of(levels[static_cast<std::size_t>(i)]);
    for (int y = 0; y < extent.height; y += tile.height)
      for (int x = 0; x < extent.width; x += tile.width) tiles.push_back({i, x, y});
  }
  return tiles;
}

class LevelImages {
 public:
  // Makes the tables for frames of this size; returns true where they have changed. The device must
  // be current.
  bool lay_out(Session& session, Extent image, int channels, const ScanPlan& plan);
  // Fills all levels from an image on the device, which has the size and at least the number of
  // channels that were laid out.
  void build(Session& session, ImageView<const std::uint8_t> image);

  const std::vector<DeviceLevel>& levels() const { return levels_; }
  const DeviceLevel* device_levels() { return device_levels_.data(); }
  const std::uint8_t* pixels() { return pixels_.data(); }
  int channels() const { return channels_; }
  std::int64_t windows() const { return windows_; }

 private:
  bool same(Extent image, int channels, const ScanPlan& plan) const;

  Extent image_{};
  ScanPlan plan_{};
  int channels_ = 0;
  std::int64_t windows_ = 0;
  std::vector<DeviceLevel> levels_;
  std::size_t tile_count_ = 0;
  KeptBuffer<DeviceLevel> device_levels_;
  KeptBuffer<Tile> tiles_;
  KeptBuffer<fovea::detail::FixedTap> taps_;
  KeptBuffer<std::uint8_t> pixels_;
};

}  // namespace fovea::people::cuda
