// Computes the blocks of some rows of a level's grid on one thread, with scratch memory of its own.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <vector>

#include "people/hog/hog_kernels.h"
#include "people/steps.h"

namespace fovea::people::cpu {

// What is the same for all rows of blocks of a level.
struct HogLevel {
  ImageView<const std::uint8_t> image;  // 1 channel, or 3 or 4 of which 3 are used
  HogOptions hog;                       // with the options that the kind decides
  bool cells;                           // units are cells that blocks share, not blocks
  VoteParams votes;
  NormParams norm;
  HogAxis x, y;
  HistogramAxis units_x, units_y;
  RoleClasses roles;
  const std::vector<float>& gamma;
  const CircularBlock& circle;
  StackView<const float> smoothed;      // planes of the whole level, where pixels are smoothed
  StackView<const std::uint32_t> sums;  // integral histograms, where cells are computed from them
  // Number e of block (k, row) is at blocks[row * row_pitch + e * pitch + place(k)].
  float* blocks;
  std::ptrdiff_t pitch, row_pitch;
  int phase_pitch;
  StepTimer* timer = nullptr;  // of the one thread that computes the level, where it is timed

  // Windows whose blocks are `window_step` apart read them as neighbors.
  int place(int k) const { return k % x.window_step * phase_pitch + k / x.window_step; }
};

// Gamma-corrected planes of the rows around one row, kept while consecutive rows are read.
class HogRows {
 public:
  explicit HogRows(const HogLevel& level);
  // The votes of row y, counted from the first row of blocks; they are valid until the next call
  // with the same slot.
  Votes votes(int y, std::uint32_t pitch, int slot);

 private:
  const float* plane(int row, int channel);
  void convert(int row, int slot);
  void copy_smoothed(int row, int slot);

  const HogLevel& level_;
  int channels_;
  int reach_;  // rows above and below that the mask reads
  int pixels_;
  std::size_t width_;
  std::vector<float> planes_;
  std::vector<SharePair> shares_;
  std::vector<std::int32_t> places_;
  int slot_row_[2 * kMaskReach + 1] = {-1, -1, -1, -1, -1};
};

// The channels that votes come from, as gamma-corrected planes that are blurred; empty where they
// need not be blurred.
Stack<float> smoothed_planes(ImageView<const std::uint8_t> image, const HogOptions& hog,
                             const std::vector<float>& gamma, const Exec& exec);

// Computes the blocks of rows [first, last) of the grid.
void build_band(const HogLevel& level, int first, int last);
// Computes bins and magnitudes of rows [first, last), counted from the first row of blocks.
void polar_rows(const HogLevel& level, ImageView<std::uint8_t> bin, ImageView<float> magnitude,
                int first, int last);

}  // namespace fovea::people::cpu
