// The two loops in which a cascade spends its time: a row of an integral histogram out of pixels,
// and a row of windows through all stages.
#pragma once
#include <cstdint>
#include <vector>

#include "people/cascade/cascade_math.h"

namespace fovea::people::cpu {

// Bytes that must be readable before and after a row of pixels.
constexpr int kRowMargin = 64;
// Patches are made in groups of so many; rows of sums have room for whole groups.
constexpr int kPatchGroup = 16;

// How a row of an integral histogram lies in memory: the first eight bins of all positions, two
// aligned vectors each, then the ninth bins. Where windows are 8 pixels apart, or a multiple of it,
// positions are dealt out to four parts: a corner of the next window then follows at once, which
// spares the cache three quarters of what it would have to hold.
struct SumsLayout {
  static constexpr int kParts = 4;
  static constexpr int kTogether = cascade::kBins - 1;

  explicit SumsLayout(int patches, bool dealt_out) : dealt(dealt_out) {
    const std::ptrdiff_t groups = (patches + kPatchGroup - 1) / kPatchGroup;
    part = groups * kPatchGroup / kParts + 2;
  }
  std::ptrdiff_t row_size() const { return kParts * part * cascade::kBins; }
  // Of a position: its first bins are at kTogether * place(), its ninth at ninths() + place().
  std::ptrdiff_t place(int position) const {
    const auto p = static_cast<unsigned>(position);  // of which the parts are cheap
    return dealt ? p % kParts * part + p / kParts : p;
  }
  std::ptrdiff_t ninths() const { return kParts * part * kTogether; }

  bool dealt;
  std::ptrdiff_t part;  // positions from a part to the next
};

// A row of patches. Position i of a row of sums holds, bin by bin, the votes left of patch i, of
// this row and all above it; they wrap.
struct PatchRow {
  int planes;                        // 1 or 3: the strongest gradient counts
  const std::uint8_t* pixels[3][4];  // the pixels above, the two rows, the pixels below
  const std::uint32_t* above;        // sums of the row before
  std::uint32_t* sums;
  int patches;
  SumsLayout layout;
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
  bool chained;
  std::vector<Stage> stages;
  std::vector<cascade::BlockPlan> ranking;
};

// Windows of a row that are still in the race. Memory is kept from row to row, for whole groups of
// four windows.
struct Race {
  std::vector<int> column;
  std::vector<std::ptrdiff_t> place;
  std::vector<float> sum;
  std::vector<float> parts;  // four of a window's product, then four of its square
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

// A row of windows; window c begins `step` patches right of window c - 1.
struct WindowRow {
  const CascadePlan& plan;
  const std::uint32_t* const* sums;  // rows of the integral histogram from the windows' top down
  SumsLayout layout;                 // dealt only where `step` is a multiple of its parts
  int columns;
  int step;
  bool every;     // give scores to windows that do not pass, too
  float* scores;  // of every column; those that did not pass have -infinity where `every` is not
  Race& race;
  std::int64_t evaluations;  // grows by the blocks looked at
};
void score_windows(WindowRow& row);

}  // namespace fovea::people::cpu
