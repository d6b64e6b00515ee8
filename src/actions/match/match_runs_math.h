// The recursion over points alone, arranged for a GPU. What a pair of points needs of its
// neighbors is the same for every node of every model: it is found once and kept as a run. Tables
// stand column by column, so that a run reads numbers side by side, and have an odd number of rows,
// so that threads of different columns read different banks. All of it runs on the host as well,
// which is how it is tested.
#pragma once
#include "actions/match/match_cells_math.h"

namespace fovea::actions::detail {

FOVEA_HD inline std::int32_t odd_pitch(std::int32_t rows) { return rows | 1; }

// A place of a table: what was found of a pair of points, and the direction between them.
struct alignas(8) RunState {
  float state;
  float way;
};

// A pair of points, the middle and the last of `count` triples. Shared memory has fewer than 2^16
// places.
struct alignas(16) CellRun {
  std::uint16_t from;    // place of the middle's first pair
  std::uint16_t ways;    // directions to the last point: where those of the triples begin
  std::uint16_t to;      // place of this pair
  std::uint16_t count;   // of triples
  std::uint16_t column;  // the last point
  std::uint16_t gap;     // frames between the two
  float way;             // from the middle to the last
};

// The points that are first in triples of a pair: `count` of them, or -1 where there is no pair,
// and how many points lie between them and the last one's frame.
struct RunReach {
  std::int32_t middle = -1;
  std::int32_t count = -1;
  std::int32_t skipped = 0;
  std::int32_t gap = 0;
};
FOVEA_HD inline RunReach reach_of(const CellScene& scene, const MatchTerms& terms,
                                  std::int32_t column, std::int32_t row) {
  RunReach reach;
  const std::int32_t time = scene.frame[column];
  reach.middle = scene.before(row, time, terms.pair);
  if (reach.middle < 0) return reach;
  const std::int32_t middle_time = scene.frame[reach.middle];
  reach.gap = time - middle_time;
  const std::int32_t left = terms.left(reach.gap);
  const std::int32_t end = scene.first_at[middle_time];
  reach.count = end - scene.first_at[middle_time > left ? middle_time - left : 0];
  reach.skipped = scene.first_at[time] - end;
  return reach;
}

FOVEA_HD inline CellRun run_of(const CellScene& scene, const RunReach& reach, std::int32_t column,
                               std::int32_t row) {
  const std::int32_t pitch = odd_pitch(scene.reach);
  return {static_cast<std::uint16_t>(reach.middle * pitch),
          static_cast<std::uint16_t>(column * odd_pitch(scene.seen) + reach.skipped),
          static_cast<std::uint16_t>(column * pitch + row),
          static_cast<std::uint16_t>(reach.count),
          static_cast<std::uint16_t>(column),
          static_cast<std::uint16_t>(reach.gap),
          0};
}

// Threads side by side take runs of about the same length: the longest come first, all beyond the
// last but one bucket being alike.
inline constexpr int kRunBuckets = 64;
FOVEA_HD inline std::int32_t bucket_of(std::int32_t count) {
  return count < kRunBuckets ? kRunBuckets - 1 - count : 0;
}

// Of runs cut into chunks, the one that a warp takes in a pass: there and back again, so that who
// has the longest of a pass has the shortest of the next.
FOVEA_HD inline std::int32_t chunk_of(std::int32_t pass, std::int32_t warp, std::int32_t warps) {
  return pass % 2 == 0 ? pass * warps + warp : (pass + 1) * warps - 1 - warp;
}

// The least energy of a run's triples, the first of equals in the scene's order: rows count
// backwards, so that it is the last here. `states` and `ways` begin where the run does and may be
// read kRunStep - 1 places beyond it.
inline constexpr int kRunStep = 2;
struct RunLeast {
  float energy = INFINITY;
  std::int32_t row = kNobody;
};
template <class Root>
FOVEA_HD inline RunLeast least_of(const CellRun& run, const RunState* states, const float* ways,
                                  const Bends& model, float weight, const Root& root) {
  RunLeast least;
  const std::int32_t count = run.count;
  for (std::int32_t begin = 0; begin < count; begin += kRunStep) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (std::int32_t step = 0; step < kRunStep; ++step) {
      const std::int32_t row = begin + step;
      const RunState before = states[row];
      const Bends bends = bends_of(run.way, before.way, ways[row]);
      const float x = wrap_small(model.at_middle - bends.at_middle);
      const float y = wrap_small(model.at_last - bends.at_last);
      const float energy = through(before.state, weight, root(std::fma(y, y, x * x)));
      const bool better = (step == 0 || row < count) && energy <= least.energy;
      least.energy = better ? energy : least.energy;
      least.row = better ? row : least.row;
    }
  }
  return least;
}

// Where directions and the model's bends are plain, the sum of squares above is 0 or no less than
// kLeastSquare, and its root needs no care for what is denormal: numbers from 2^-26 on differ by
// nothing or by 2^-50 at least, and so do zeros and differences of directions from 2^-25 on.
inline constexpr float kLeastSquare = 0x1p-101F;
FOVEA_HD inline bool is_plain_direction(float turns) {
  return turns == 0 || std::fabs(turns) >= 0x1p-25F;
}
FOVEA_HD inline bool is_plain_bend(float turns) {
  return turns == 0 || std::fabs(turns) >= 0x1p-26F;
}
FOVEA_HD inline bool are_plain(const Bends& bends) {
  return is_plain_bend(bends.at_middle) && is_plain_bend(bends.at_last);
}

}  // namespace fovea::actions::detail
