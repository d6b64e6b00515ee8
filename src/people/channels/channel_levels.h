// The channels of every level of a scan. At some sizes per octave they are computed from pixels;
// the levels between are resampled from the nearest of those (Dollar et al. 2014, "fast feature
// pyramids"), which costs a fraction of the time.
#pragma once
#include <fovea/people/channels.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "people/channels/channel_cells.h"
#include "people/steps.h"

namespace fovea::people {

// What the channels of all levels depend on besides the plan.
struct ChannelPyramid {
  int exact_per_octave = 2;                        // as ChannelsModel::exact_per_octave
  std::array<float, channels::kChannels> decay{};  // as ChannelsModel::decay
  bool smooth = true;                              // whether [1 2 1] is the last step
  int reach = channels::kSmoothMargin;  // cells around a window that its features come from
};
inline ChannelPyramid pyramid_of(const ChannelsModel& model) {
  return {model.exact_per_octave, model.decay};
}

// The level of a plan from which the channels of each level come, itself or another. Levels with
// the same source are consecutive.
std::vector<int> channel_sources(const ScanPlan& plan, int exact_per_octave);

// The cells of a level that are computed from pixels: those of its windows and `margin` cells
// before them.
struct ExactCells {
  int margin_x = 0;
  int margin_y = 0;
  int columns = 0;
  int rows = 0;
  int padding = 0;  // padding of the image from which they are computed
  CellOrigin origin;
};
// For a source and all levels [first, last) that are resampled from it.
ExactCells exact_cells(const ScanPlan& plan, int source, int first, int last,
                       int reach = channels::kSmoothMargin);
// The positions of the cells of `level`, beginning pyramid.reach cells before its windows, in those
// of its source.
struct LevelPair {
  int level;
  int source;
};
CellPlacement cell_placement(const ScanPlan& plan, LevelPair levels, const ExactCells& exact,
                             const ChannelPyramid& pyramid);
// The number of cells that the windows of a level cover, without and with `reach` cells around
// them.
Extent window_cells(const ScanPlan& plan, const ScanLevel& level);
Extent resampled_cells(const ScanPlan& plan, const ScanLevel& level,
                       int reach = channels::kSmoothMargin);

// Throws InvalidArgument where windows do not begin at cells.
void require_cell_stride(const ScanPlan& plan);

namespace cpu {

// Memory for the channels of a source, and for those of a level.
struct ExactSpace {
  Image<std::uint8_t> pixels;
  CellSums sums;
  ChannelCells values;
};
struct LevelSpace {
  ChannelCells resampled;  // values, where they are not those of the source
  ChannelCells cells;      // where they are smoothed
};

class ChannelLevels {
 public:
  // The image and the plan must outlive the object. A clock gets the times of the steps.
  void start(ImageView<const std::uint8_t> image, const ScanPlan& plan,
             const ChannelPyramid& pyramid, StepClock* clock = nullptr);
  // The number of elements between the lines of any level's cells.
  std::ptrdiff_t stride() const { return stride_; }
  // The source of each level.
  std::span<const int> sources() const { return sources_; }

  struct Level {
    const ChannelCells* cells;
    int first_column;  // where window (0, 0) begins
    int first_row;
  };
  // Levels must be requested in order; a level is valid until the next one is requested.
  Level make(int level, const Exec& exec);

  // The same in two steps, for several levels at the same time: the values of a source, and a level
  // from those of its source.
  void make_exact(int source, ExactSpace& space, const Exec& exec) const;
  Level make_level(int level, const ExactSpace& from, LevelSpace& space, const Exec& exec) const;

 private:
  ImageView<const std::uint8_t> image_;
  const ScanPlan* plan_ = nullptr;
  ChannelPyramid pyramid_;
  StepClock* clock_ = nullptr;
  std::vector<int> sources_;
  std::vector<ExactCells> exact_of_;  // by level; only those of sources are filled in
  std::ptrdiff_t stride_ = 0;
  int exact_level_ = -1;  // the source whose values `exact_` holds
  ExactSpace exact_;
  LevelSpace level_;
};

}  // namespace cpu
}  // namespace fovea::people
