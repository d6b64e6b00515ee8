// Finds the motion of the nodes of a tile from its scores.
#pragma once
#include "flow/bm/block_matching_tile_cuda.cuh"

namespace fovea::flow::cuda::block_search {

// The best of a node's scores, and the best of those that are not next to it. `lanes` neighboring
// threads share the scores in turn.
struct Picked {
  Best best;
  float second;
};
struct Scores {
  const std::uint32_t* of_node;
  const bm::Windows& windows;
  int side, range, count;

  __device__ float operator[](int k) const { return __uint_as_float(of_node[k]); }
  __device__ std::int32_t rank(int k) const {
    const int place = k % (side * side);
    return bm::rank_of(k / (side * side), place % side - range, place / side - range, range);
  }
  __device__ bm::Shift shift(int k) const {
    const int place = k % (side * side);
    const bm::Shift center = windows.center[k / (side * side)];
    return {center.u + place % side - range, center.v + place / side - range};
  }
};
__device__ inline Picked pick(const Scores& scores, int lane, int lanes) {
  Best best{bm::kNoScore, INT32_MAX, -1};
  for (int k = lane; k < scores.count; k += lanes)
    if (const float score = scores[k]; score >= best.score && bm::tried(score))
      keep_better(best, {score, scores.rank(k), k});
  for (int step = lanes / 2; step > 0; step /= 2)
    keep_better(best,
                {__shfl_xor_sync(~0U, best.score, step), __shfl_xor_sync(~0U, best.rank, step),
                 __shfl_xor_sync(~0U, best.candidate, step)});
  float second = bm::kNoScore;
  if (best.candidate >= 0) {
    const bm::Shift found = scores.shift(best.candidate);
    for (int k = lane; k < scores.count; k += lanes)
      if (const float score = scores[k]; score > second && !bm::beside(scores.shift(k), found))
        second = score;
  }
  for (int step = lanes / 2; step > 0; step /= 2)
    second = fmaxf(second, __shfl_xor_sync(~0U, second, step));
  return {best, second};
}

// Whether a block can be matched at all.
__device__ inline bool matchable(const DeviceBlockSearch& search, const Own& own) {
  return own.n > 0 && bm::enough_of_block(own.n, search.layout.block) &&
         bm::has_texture(own.inverse, own.n, search.least_texture);
}

__device__ inline bm::Motion motion_at(const DeviceBlockSearch& search, const Scores& scores,
                                       const Own& own, const Picked& picked) {
  if (own.n == 0) return {0, 0, -1};
  if (picked.best.candidate < 0 || !matchable(search, own)) return {0, 0, 0};
  const int side = scores.side, at = picked.best.candidate, place = at % (side * side);
  bm::Peak peak{scores.shift(at), picked.second, {}};
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const int du = k % 3 - 1, dv = k / 3 - 1, column = place % side + du, row = place / side + dv;
    const bool tried = column >= 0 && column < side && row >= 0 && row < side;
    peak.around[k] = tried ? scores[at + dv * side + du] : bm::kNoScore;
  }
  return search.plain ? bm::plain_motion_of(peak, search.peak) : bm::motion_of(peak, search.peak);
}

}  // namespace fovea::flow::cuda::block_search
