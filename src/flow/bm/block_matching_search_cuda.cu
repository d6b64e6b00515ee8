// The search of one level on CUDA: where to search, and the search itself for blocks and ranges of
// any size. A block of threads has one node, whose candidate shifts the threads share in turn.
// Scores are not kept: a first pass finds the best one, and a second the best of those that are not
// next to it. What fits into shared memory is searched in tiles, which is much faster.
#include "flow/bm/block_matching_search_cuda.cuh"

namespace fovea::flow::cuda {
namespace block_search {
namespace {

constexpr struct {
  int priors = 128;  // tiles per block of threads
  int threads = 64;  // threads per node
} kTuning;
constexpr int kWarps = kTuning.threads / 32;

__global__ void prior_kernel(DeviceBlockSearch search, int columns, int count) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (tile >= count) return;
  bm::Shift shift{0, 0};
  if (search.has_prior()) {
    const int width = search.first.width, height = search.first.height;
    const int x = bm::tile_middle(tile % columns, search.layout, width);
    const int y = bm::tile_middle(tile / columns, search.layout, height);
    const bm::Motion motion =
        bm::prior_at(search.prior, static_cast<float>(x), static_cast<float>(y));
    shift = {bm::whole_shift(motion.u, x, width), bm::whole_shift(motion.v, y, height)};
  }
  search.priors[tile] = shift;
}

// A block of the first image.
struct Own {
  int x, y;  // its first pixel
  int n;     // number of pixels that count
  std::int32_t sum, squares;
  float inverse, scale;
};
__device__ Own own_of(const DeviceBlockSearch& search, int x, int y) {
  const DeviceBlockLevel& level = search.first;
  const int block = search.layout.block;
  Own own{x, y, 0, 0, 0, 0, 0};
  if (level.valid.data == nullptr && inside(level, x, y, block)) {
    own.n = block * block;
    own.sum = level.sums.at(x, y);
    if (level.squares.data != nullptr) own.squares = level.squares.at(x, y);
    own.inverse = level.inverse.at(x, y);
  } else {
    for (int j = 0; j < block; ++j)
      for (int i = 0; i < block; ++i) {
        if (!counts(level, x + i, y + j)) continue;
        const std::int32_t gray = level.gray.at(x + i, y + j);
        ++own.n, own.sum += gray, own.squares += gray * gray;
      }
    own.inverse = bm::inverse_deviation(own.n, own.sum, own.squares);
  }
  own.scale = bm::difference_scale(search.cost, own.n, own.inverse);
  return own;
}

__device__ float score_full(const DeviceBlockSearch& search, const Own& own, int x, int y) {
  const int block = search.layout.block;
  std::int32_t product = 0;
  for (int j = 0; j < block; ++j) {
    const std::uint8_t* a = &search.first.gray.at(own.x, own.y + j);
    const std::uint8_t* b = &search.second.gray.at(x, y + j);
    if (search.cost == BlockCost::kSad)
      for (int i = 0; i < block; ++i) product += bm::distance(a[i], b[i]);
    else
      for (int i = 0; i < block; ++i) product += a[i] * b[i];
  }
  if (search.cost == BlockCost::kNcc)
    return bm::ncc_score({own.n, own.sum, search.second.sums.at(x, y), 0, 0, product}, own.inverse,
                         search.second.inverse.at(x, y));
  const std::int32_t difference = search.cost == BlockCost::kSsd
                                      ? own.squares + search.second.squares.at(x, y) - 2 * product
                                      : product;
  return bm::difference_score(difference, 1.0F / static_cast<float>(own.n), own.scale);
}

// Sums over the pixels that count in both blocks.
__device__ float score_part(const DeviceBlockSearch& search, const Own& own, int x, int y) {
  const int block = search.layout.block;
  std::int32_t n = 0, sum_x = 0, sum_y = 0, squares_x = 0, squares_y = 0, product = 0;
  for (int j = 0; j < block; ++j)
    for (int i = 0; i < block; ++i) {
      if (!counts(search.first, own.x + i, own.y + j) || !counts(search.second, x + i, y + j))
        continue;
      const std::int32_t a = search.first.gray.at(own.x + i, own.y + j);
      const std::int32_t b = search.second.gray.at(x + i, y + j);
      ++n, sum_x += a, sum_y += b;
      squares_x += a * a, squares_y += b * b;
      product += search.cost == BlockCost::kSad ? bm::distance(a, b) : a * b;
    }
  if (n == 0 || !bm::enough_of_pair(n, own.n)) return bm::kNoScore;
  return bm::pair_score(search.cost, {n, sum_x, sum_y, squares_x, squares_y, product}, own.scale);
}

__device__ float score_of(const DeviceBlockSearch& search, const Own& own, bm::Shift shift) {
  const int x = own.x + shift.u, y = own.y + shift.v, block = search.layout.block;
  const bool full = search.first.valid.data == nullptr && search.second.valid.data == nullptr &&
                    inside(search.first, own.x, own.y, block) && inside(search.second, x, y, block);
  return full ? score_full(search, own, x, y) : score_part(search, own, x, y);
}

__device__ Best best_of_block(Best best, Best (&room)[kWarps]) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    keep_better(best,
                {__shfl_xor_sync(~0U, best.score, lanes), __shfl_xor_sync(~0U, best.rank, lanes),
                 __shfl_xor_sync(~0U, best.candidate, lanes)});
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = best;
  __syncthreads();
  for (int k = 0; k < kWarps; ++k) keep_better(best, room[k]);
  return best;
}

// The candidates of a node, row by row, window after window.
struct Candidates {
  bm::Windows windows;
  int range, side, count;

  __device__ Candidates(const bm::Windows& around, int reach)
      : windows(around), range(reach), side(2 * reach + 1), count(around.count * side * side) {}
  __device__ bm::Shift step(int candidate) const {
    return {candidate % side - range, candidate / side % side - range};
  }
  __device__ bm::Shift shift(int candidate) const {
    const bm::Shift center = windows.center[candidate / (side * side)], by = step(candidate);
    return {center.u + by.u, center.v + by.v};
  }
  __device__ std::int32_t rank(int candidate) const {
    const bm::Shift by = step(candidate);
    return bm::rank_of(candidate / (side * side), by.u, by.v, range);
  }
};

__global__ void search_kernel(DeviceBlockSearch search) {
  __shared__ Best room[kWarps];
  __shared__ bm::Peak peak;
  const int columns = search.out.u.width;
  const int2 node{static_cast<int>(blockIdx.x) % columns, static_cast<int>(blockIdx.x) / columns};
  const bm::Layout& layout = search.layout;
  const Own own = own_of(search, layout.first(node.x), layout.first(node.y));
  const auto thread = static_cast<int>(threadIdx.x);
  const bool matched = own.n > 0 && bm::enough_of_block(own.n, layout.block) &&
                       bm::has_texture(own.inverse, own.n, search.least_texture);
  if (!matched) {
    if (thread == 0) store_motion(search, node, {0, 0, own.n == 0 ? -1.0F : 0.0F});
    return;
  }
  bm::Windows windows =
      bm::windows_of(search.priors, layout.tiles(search.first.width),
                     layout.tiles(search.first.height), node.x / layout.tile, node.y / layout.tile);
  if (!search.neighbors) windows.count = 1;
  const Candidates candidates(windows, search.range);
  Best best{bm::kNoScore, INT32_MAX, -1};
  for (int k = thread; k < candidates.count; k += kTuning.threads)
    keep_better(best, {score_of(search, own, candidates.shift(k)), candidates.rank(k), k});
  best = best_of_block(best, room);
  if (!bm::tried(best.score)) {
    if (thread == 0) store_motion(search, node, {0, 0, 0});
    return;
  }
  const bm::Shift found = candidates.shift(best.candidate), by = candidates.step(best.candidate);
  Best second{bm::kNoScore, 0, 0};
  for (int k = thread; k < candidates.count; k += kTuning.threads) {
    const bm::Shift shift = candidates.shift(k);
    if (!bm::beside(shift, found)) keep_better(second, {score_of(search, own, shift), 0, 0});
  }
  second = best_of_block(second, room);
  if (thread < 9) {
    const int du = thread % 3 - 1, dv = thread / 3 - 1;
    const bool tried =
        bm::distance(by.u + du, 0) <= search.range && bm::distance(by.v + dv, 0) <= search.range;
    peak.around[thread] =
        tried ? score_of(search, own, {found.u + du, found.v + dv}) : bm::kNoScore;
  }
  __syncthreads();
  if (thread != 0) return;
  peak.shift = found, peak.second = second.score;
  if (search.plain) store_motion(search, node, bm::plain_motion_of(peak, search.peak), true);
  else store_motion(search, node, bm::motion_of(peak, search.peak));
}

}  // namespace
}  // namespace block_search

void search_blocks(const DeviceBlockSearch& search, cudaStream_t stream) {
  using block_search::kTuning;
  const int columns = search.layout.tiles(search.first.width);
  const int tiles = columns * search.layout.tiles(search.first.height);
  block_search::
      prior_kernel<<<fovea::cuda::blocks_for(tiles, kTuning.priors), kTuning.priors, 0, stream>>>(
          search, columns, tiles);
  fovea::cuda::check_launch("where to look for blocks");
  if (block_search::search_tiles(search, stream)) return;
  const auto nodes =
      static_cast<unsigned>(search.out.u.width) * static_cast<unsigned>(search.out.u.height);
  block_search::search_kernel<<<nodes, kTuning.threads, 0, stream>>>(search);
  fovea::cuda::check_launch("looking for blocks");
}

}  // namespace fovea::flow::cuda
