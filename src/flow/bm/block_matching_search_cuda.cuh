// What the kernels that search for blocks share.
#pragma once
#include "flow/bm/block_matching_cuda.cuh"

namespace fovea::flow::cuda::block_search {

// Searches tile by tile where the data of a tile fits into shared memory; otherwise does nothing
// and returns false.
bool search_tiles(const DeviceBlockSearch& search, cudaStream_t stream);

__device__ inline bool inside(const DeviceBlockLevel& level, int x, int y, int block) {
  return x >= 0 && y >= 0 && x + block <= level.width && y + block <= level.height;
}
__device__ inline bool counts(const DeviceBlockLevel& level, int x, int y) {
  return x >= 0 && y >= 0 && x < level.width && y < level.height &&
         (level.valid.data == nullptr || level.valid.at(x, y) != 0);
}

// The better of two scores; the lower rank where they are equal.
struct Best {
  float score;
  std::int32_t rank, candidate;
};
__device__ inline void keep_better(Best& best, const Best& other) {
  if (other.score > best.score || (other.score == best.score && other.rank < best.rank))
    best = other;
}
// The flow of a node that was matched, otherwise that of the prior.
// `keep` keeps a motion without confidence.
__device__ inline void store_motion(const DeviceBlockSearch& search, int2 node, bm::Motion motion,
                                    bool keep = false) {
  if (motion.confidence == 0 && !keep) {
    motion = {0, 0, 0};
    if (search.has_prior()) {
      motion =
          bm::prior_at(search.prior, search.layout.middle(node.x), search.layout.middle(node.y));
      motion.confidence = 0;
    }
  }
  search.out.u.at(node.x, node.y) = motion.u;
  search.out.v.at(node.x, node.y) = motion.v;
  search.out.confidence.at(node.x, node.y) = motion.confidence;
}

}  // namespace fovea::flow::cuda::block_search
