// The recursion over points only, arranged for a GPU. What a pair of points needs to know about its
// neighbors is the same for every node of every model, so that it is computed once and kept as a
// run. Tables are stored column by column, so that a run reads adjacent numbers, and have an odd
// number of rows, so that threads of different columns read different banks. All of it also runs on
// the host, where it is tested.
#pragma once
#include "actions/match/match_cells_math.h"

namespace fovea::actions::detail {

FOVEA_HD inline std::int32_t odd_pitch(std::int32_t rows) { return rows | 1; }

// An element of a table: the result for a pair of points, and the direction between them.
struct alignas(8) RunState {
  float state;
  float way;
};

// A pair of points, which are the middle and the last point of `count` triples. Shared memory has
// fewer than 2^16 elements of each kind.
struct alignas(16) CellRun {
  std::uint16_t from;  // index of the middle point's first pair
  std::uint16_t
      ways;  // index of the first direction from the triples' first points to the last point
  std::uint16_t to;      // index of this pair
  std::uint16_t count;   // number of triples
  std::uint16_t column;  // index of the last point
  std::uint16_t gap;     // frames between the two
  float way;             // direction from the middle point to the last
};

// The points that are first in triples of a pair: there are `count` of them, or -1 if there is no
// pair; `skipped` points lie between them and the frame of the last point.
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

// Neighboring threads take runs of about the same length: the longest come first, and all that are
// longer than the number of buckets share one.
inline constexpr int kRunBuckets = 64;
FOVEA_HD inline std::int32_t bucket_of(std::int32_t count) {
  return count < kRunBuckets ? kRunBuckets - 1 - count : 0;
}

// Runs are cut into chunks. Returns the chunk that a warp takes in a pass: the order alternates, so
// that the warp with the longest chunk of a pass gets the shortest of the next.
FOVEA_HD inline std::int32_t chunk_of(std::int32_t pass, std::int32_t warp, std::int32_t warps) {
  return pass % 2 == 0 ? pass * warps + warp : (pass + 1) * warps - 1 - warp;
}

// Returns the least energy of a run's triples, and of equal ones the first in the scene's order.
// Rows are counted backward, so that this is the last one here. `states` and `ways` point to the
// start of the run and are readable for kRunStep - 1 elements beyond its end.
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

// If directions and the model's bends are plain, the sum of squares above is 0 or at least
// kLeastSquare, so that its root needs no special handling of denormal numbers: numbers of at least
// 2^-26 are equal or differ by at least 2^-50, and so are zeros and differences of directions of at
// least 2^-25.
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
