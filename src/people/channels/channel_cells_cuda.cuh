// The channels of all levels of a frame on the device: some are computed from pixels and the others
// are resampled, with one launch per step for all levels. Tables that depend on sizes alone are
// computed once and kept while the size of frames stays the same.
#pragma once
#include <fovea/people/channels.h>

#include <array>
#include <vector>

#include "people/channels/channel_levels.h"
#include "people/level_images_cuda.cuh"
#include "people/steps_cuda.cuh"

namespace fovea::people::cuda {

// Cells that are computed from pixels. Rows of cells have the same distance in all levels.
struct SourceCells {
  int columns, rows;
  CellOrigin origin;   // position in the padded image
  std::int64_t sums;   // where its sums begin among those of all sources
  std::int64_t cells;  // where its cells begin among the values and cells of all levels
};

// The cells of a level that are resampled.
struct ResampledCells {
  int columns, rows;
  std::int64_t from, cells;   // where the cells of the source and its own cells begin
  int column_taps, row_taps;  // where its taps begin
};
// The cells of any level, as the last smoothing reads them.
struct SmoothedCells {
  int columns, rows;
  std::int64_t cells;
};
struct RowTap {
  int index, next;
  std::array<CellWeights, channels::kChannels> weights;
};
struct ColumnTap {
  int index, next, share;
};

// The windows of a level.
struct LevelWindows {
  std::int64_t first_window;  // number of its first window among those of all levels
  std::int64_t cells;         // where window (0, 0) begins
  int columns;
};

class DeviceChannels {
 public:
  // Returns true where tables have changed.
  bool lay_out(Session& session, ImageView<const std::uint8_t> image, const ScanPlan& plan,
               const ChannelPyramid& pyramid);
  void build(Session& session, ImageView<const std::uint8_t> image, DeviceSteps& steps);

  std::ptrdiff_t stride() const { return stride_; }
  std::int64_t windows() const { return windows_; }
  int level_count() const { return static_cast<int>(level_windows_.size()); }
  const LevelWindows* level_windows() { return device_windows_.data(); }
  const std::vector<LevelWindows>& host_windows() const { return level_windows_; }
  // What the last step gave: smoothed cells, or values where none are smoothed.
  const std::uint8_t* cells() { return pyramid_.smooth ? cells_.data() : values_.data(); }
  // All levels as the last step sees them, and its tiles.
  const SmoothedCells* levels() { return device_smoothed_.data(); }
  const Tile* level_tiles() { return device_smooth_tiles_.data(); }
  std::size_t level_tile_count() const { return smooth_tiles_; }
  static Extent level_tile();
  std::int64_t elements() const { return elements_; }  // of the values of all levels

 private:
  bool same(ImageView<const std::uint8_t> image, const ScanPlan& plan) const;
  void add_resampled(const ScanPlan& plan, int level, int source, const ExactCells& exact);

  Extent image_{};
  int channels_ = 0;
  ScanPlan plan_{};
  ChannelPyramid pyramid_{};
  std::ptrdiff_t stride_ = 0;
  std::int64_t windows_ = 0;
  std::int64_t elements_ = 0;
  LevelImages images_;
  std::vector<SourceCells> sources_;
  std::vector<ResampledCells> resampled_;
  std::vector<SmoothedCells> smoothed_;
  std::vector<RowTap> row_taps_;
  std::vector<ColumnTap> column_taps_;
  std::vector<LevelWindows> level_windows_;
  std::size_t sum_tiles_ = 0, cell_tiles_ = 0, resample_tiles_ = 0, smooth_tiles_ = 0;
  KeptBuffer<SourceCells> device_sources_;
  KeptBuffer<ResampledCells> device_resampled_;
  KeptBuffer<SmoothedCells> device_smoothed_;
  KeptBuffer<RowTap> device_row_taps_;
  KeptBuffer<ColumnTap> device_column_taps_;
  KeptBuffer<LevelWindows> device_windows_;
  KeptBuffer<Tile> device_sum_tiles_, device_cell_tiles_, device_resample_tiles_,
      device_smooth_tiles_;
  KeptBuffer<float> lightness_;
  KeptBuffer<std::uint16_t> sums_;
  KeptBuffer<std::uint8_t> values_, cells_;
};

}  // namespace fovea::people::cuda
