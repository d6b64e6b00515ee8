// The two loops in which a cascade spends its time: computing a row of an integral histogram from
// pixels, and taking a row of windows through all stages.
#pragma once
#include <cstdint>
#include <vector>

#include "people/cascade/cascade_math.h"
#include "people/steps.h"

namespace fovea::people::cpu {

// Bytes that must be readable before and after a row of pixels.
constexpr int kRowMargin = 64;
// Patches are computed in groups of this size; rows of sums have memory for whole groups.
constexpr int kPatchGroup = 16;

// The layout of a row of an integral histogram: the first eight bins of all positions, as two
// aligned vectors each, and then the ninth bins. Where windows are 8 pixels apart, or a multiple of
// that, positions are distributed over four parts. A corner of the next window is then the next
// element, so that the cache has to hold only a quarter as much.
struct SumsLayout {
  static constexpr int kParts = 4;
  static constexpr int kTogether = cascade::kBins - 1;

  explicit SumsLayout(int patches, bool dealt_out) : dealt(dealt_out) {
    const std::ptrdiff_t groups = (patches + kPatchGroup - 1) / kPatchGroup;
    part = groups * kPatchGroup / kParts + 2;
  }
  std::ptrdiff_t row_size() const { return kParts * part * cascade::kBins; }
  // For a position: its first bins are at kTogether * place(), its ninth bin is at ninths() +
  // place().
  std::ptrdiff_t place(int position) const {
    const auto p = static_cast<unsigned>(position);  // divisions of unsigned numbers are cheap
    return dealt ? p % kParts * part + p / kParts : p;
  }
  std::ptrdiff_t ninths() const { return kParts * part * kTogether; }

  bool dealt;
  std::ptrdiff_t part;  // positions from one part to the next
};

// A row of patches. Position i of a row of sums holds, for each bin, the votes to the left of patch
// i, of this row and of all rows above. Sums wrap around.
struct PatchRow {
  int planes;                        // 1 or 3: the strongest gradient counts
  const std::uint8_t* pixels[3][4];  // the row above, the two rows, and the row below
  const std::uint32_t* above;        // sums of the previous row
  std::uint32_t* sums;
  int patches;
  SumsLayout layout;
};
void add_patch_row(const PatchRow& row);

// The classifiers of a model as they are evaluated.
struct CascadePlan {
  struct Stage {
    std::vector<cascade::BlockPlan> blocks;
    float threshold;
    bool late;  // more than cascade::kEarlyBlocks blocks are evaluated until its end
  };
  explicit CascadePlan(const CascadeModel& model);

  Extent window;
  bool graded;
  bool chained;
  std::vector<Stage> stages;
  std::vector<cascade::BlockPlan> ranking;
};

// The windows of a row that are not rejected yet. Memory is kept from row to row, for whole groups
// of four windows.
struct Race {
  std::vector<int> column;
  std::vector<std::ptrdiff_t> place;
  std::vector<float> sum;
  std::vector<float> parts;  // four parts of a window's product, then four of its square
  std::size_t count = 0;

  void reserve(std::size_t windows) {
    if (windows <= column.size()) return;
    const std::size_t whole = (windows + 3) / 4 * 4;
    column.resize(whole);
    place.resize(whole);
    sum.resize(whole);
    parts.resize(8 * whole);
  }
};

// A row of windows; window c begins `step` patches to the right of window c - 1.
struct WindowRow {
  const CascadePlan& plan;
  const std::uint32_t* const*
      sums;           // rows of the integral histogram from the top of the windows down
  SumsLayout layout;  // distributed only where `step` is a multiple of its parts
  int columns;
  int step;
  bool every;     // compute scores of windows that do not pass, too
  float* scores;  // score of every column; without `every`, those that do not pass have -infinity
  Race& race;
  std::int64_t evaluations;    // increased by the number of blocks that were evaluated
  StepClock* clock = nullptr;  // gets the times of early and late stages
};
void score_windows(WindowRow& row);

}  // namespace fovea::people::cpu
