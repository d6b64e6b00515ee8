// The two loops in which a cascade spends its time: a row of an integral histogram out of pixels,
// and a row of windows through all stages.
#pragma once
#include <cstdint>
#include <vector>

#include "people/cascade_math.h"

namespace fovea::people::cpu {

// Bytes that must be readable before and after a row of pixels.
constexpr int kRowMargin = 64;
// Patches are made in groups of so many; rows of sums have room for whole groups.
constexpr int kPatchGroup = 16;
// Numbers a row of an integral histogram needs for so many patches.
inline std::ptrdiff_t sums_row_size(int patches) {
  const std::ptrdiff_t groups = (patches + kPatchGroup - 1) / kPatchGroup;
  return (groups * kPatchGroup + 2) * cascade::kBins;
}

// A row of patches. Position i of a row of sums holds, bin by bin, the votes left of patch i, of
// this row and all above it; they wrap.
struct PatchRow {
  int planes;                        // 1 or 3: the strongest gradient counts
  const std::uint8_t* pixels[3][4];  // the pixels above, the two rows, the pixels below
  const std::uint32_t* above;        // sums of the row before
  std::uint32_t* sums;
  int patches;
};
void add_patch_row(const PatchRow& row);

// A model's classifiers as they are evaluated.
struct CascadePlan {
  struct Stage {
    std::vector<cascade::BlockPlan> blocks;
    float threshold;
  };
  explicit CascadePlan(const CascadeModel& model);

  Extent window;
  bool graded;
  std::vector<Stage> stages;
  std::vector<cascade::BlockPlan> ranking;
};

// A row of windows; window c begins `step` patches right of window c - 1.
struct WindowRow {
  const CascadePlan& plan;
  const std::uint32_t* const* sums;  // rows of the integral histogram from the windows' top down
  int columns;
  int step;
  bool every;     // give scores to windows that do not pass, too
  float* scores;  // of every column; those that did not pass have -infinity where `every` is not
  std::int64_t evaluations;  // grows by the blocks looked at
};
void score_windows(WindowRow& row);

}  // namespace fovea::people::cpu
