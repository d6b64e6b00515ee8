// How a block that processes runs divides its shared memory.
#pragma once
#include "actions/match/match_runs_math.h"

namespace fovea::actions::detail {

inline constexpr int kMostRunThreads = 1024, kMostRunRanks = 8;

// Shared memory of a block, in words.
struct RunLayout {
  std::int32_t states, table;      // two tables of RunState, and the size of one in words
  std::int32_t ways;               // directions, with one column per point
  std::int32_t unary, unary_step;  // of the block's own points, for two nodes
  std::int32_t nodes, frames, first_at, counts, back, runs;

  // The runs come last, because their number is only known at run time.
  FOVEA_HD RunLayout(const CellSlice& slice, std::int32_t longest, bool keeps_back) {
    const CellScene& part = slice.part;
    std::int32_t at = 0;
    const auto take = [&at](std::int64_t words) {
      const std::int32_t begin = at;
      at += static_cast<std::int32_t>((words + 3) / 4 * 4);
      return begin;
    };
    const std::int64_t cells = static_cast<std::int64_t>(part.points) * odd_pitch(part.reach);
    states = take(2 * cells);
    table = take(2 * cells) - states;
    ways = take(static_cast<std::int64_t>(part.points) * odd_pitch(part.seen));
    unary = take(slice.own());
    unary_step = take(slice.own()) - unary;
    nodes = take(3 * longest);
    frames = take(part.points);
    first_at = take(part.span + 1);
    counts = take(kRunBuckets);
    back = take(keeps_back ? (cells * longest + 1) / 2 : 0);
    runs = at;
  }
  FOVEA_HD std::int64_t bytes(std::int64_t cells) const {
    return 4 * (static_cast<std::int64_t>(runs) +
                cells * static_cast<std::int64_t>(sizeof(CellRun) / 4));
  }
};

}  // namespace fovea::actions::detail
