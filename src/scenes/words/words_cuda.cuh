// Kernels that describe a tile of places in shared memory and use the numbers there: they find
// words and count them, or write the numbers out. What describes places (a Maker: filters_cuda.cuh,
// gradients_cuda.cuh, stored_points_cuda.cuh) is a parameter.
#pragma once
#include <algorithm>
#include <cstddef>

#include "core/on_device.cuh"
#include "ops/kmeans/nearest_cuda.cuh"
#include "scenes/describe/describe_cuda.cuh"
#include "scenes/words/features_math.h"

namespace fovea::scenes::cuda {

using fovea::cuda::CentersView;

// The bytes of a part of the centers; two parts are in shared memory at a time. With larger parts,
// two blocks of gradient words would no longer fit on a multiprocessor.
constexpr int kSearchChunkBytes = 20480;

// What happens with words: they are counted where `counts` is set, otherwise they are written.
struct WordsUse {
  std::uint32_t* counts;  // counts of the finest cells, cell after cell, with the words of a cell
                          // next to each other
  std::uint16_t* words;
  int pyramid;
};

template <class Maker>
struct WordsJob {
  typename Maker::Job maker;
  GridTable table;
  CentersView centers;
  WordsUse use;
};

// The shape of the search for a maker's tiles: a warp has kTiles times 16 points at once, which
// kSplit warps share.
template <class Maker, int kTiles, int kSplit, int kChunkBytes>
using BaseShape =
    fovea::cuda::NearestShape<fovea::detail::nearest::steps_of(Maker::kDimensions),
                              Maker::kThreads / 32, kTiles, kSplit, kChunkBytes,
                              Maker::kPoints * kSplit / (Maker::kThreads / 2 * kTiles)>;
template <class Maker, int kTiles, int kSplit, int kChunkBytes>
struct TileShape : BaseShape<Maker, kTiles, kSplit, kChunkBytes> {
  using Base = BaseShape<Maker, kTiles, kSplit, kChunkBytes>;
  static constexpr int kPitch = Maker::kStride;
  static constexpr int kSide = kTiles > 2 ? 1 : Base::kSide;  // as many as registers allow
  static_assert(Base::kPoints == Maker::kPoints && Base::kDimensions == Maker::kDimensions);
};

// The shared memory of a block: what the search needs; makers use its last part before that.
template <class Scratch, class Maker>
constexpr std::size_t words_shared_bytes() {
  return std::max(sizeof(Scratch), offsetof(Scratch, chunks) + Maker::kWorkFloats * sizeof(float));
}

// Adds the tile's words to the counts of their finest cells; neighbors with the same word are added
// at once.
template <class Maker>
__device__ void use_words(const WordsUse& use, int words, const GridEntry& entry, std::int32_t tile,
                          const std::int32_t* labels) {
  static_assert(Maker::kPoints % 32 == 0);
  for (int point = static_cast<int>(threadIdx.x); point < Maker::kPoints;
       point += Maker::kThreads) {
    int column = 0, row = 0;
    const bool inside = Maker::Tiles::place(entry.grid, tile, point, column, row);
    const int label = labels[point];
    if (use.counts == nullptr) {
      if (inside)
        use.words[entry.output + std::int64_t{row} * entry.grid.columns + column] =
            static_cast<std::uint16_t>(label);
      continue;
    }
    const int x = pyramid_cell(entry.grid.left + column * entry.grid.step, entry.width,
                               use.pyramid),
              y = pyramid_cell(entry.grid.top + row * entry.grid.step, entry.height, use.pyramid);
    const int bin = inside ? ((y << use.pyramid) + x) * words + label : -1;
    const unsigned same = __match_any_sync(~0U, bin);
    const int first = __ffs(static_cast<int>(same)) - 1;
    if (inside && static_cast<int>(threadIdx.x) % 32 == first)
      atomicAdd(use.counts + entry.output + bin, static_cast<unsigned>(__popc(same)));
  }
}

template <class Maker, class Shape, int kBlocks>
__global__ void __launch_bounds__(Maker::kThreads, kBlocks)
    words_kernel(const __grid_constant__ WordsJob<Maker> job) {
  using Scratch = fovea::cuda::NearestScratch<Shape>;
  extern __shared__ float4 shared[];
  Scratch& scratch = *reinterpret_cast<Scratch*>(shared);
  auto* work = reinterpret_cast<float*>(&scratch.chunks);
  for (TileWalk<Maker::Tiles::kParts> walk(job.table, static_cast<int>(blockIdx.x),
                                           static_cast<int>(gridDim.x));
       walk.more(); walk.next()) {
    if (Maker::Tiles::is_empty(walk.entry().grid, walk.tile())) continue;
    // Each use reads the entry again, so that the search has all registers.
    Maker::describe(job.maker, GridEntry(walk.entry()), walk.number(), &scratch.points[0][0], work);
    fovea::cuda::nearest_in_block<Shape>(job.centers, Maker::kPoints, scratch);
    use_words<Maker>(job.use, job.centers.centers, GridEntry(walk.entry()), walk.tile(),
                     scratch.labels);
  }
}

// The same for descriptors with more numbers than the search by tensor cores supports: the chain
// computes every center's score, and kLanes threads share the centers of a point.
template <class Maker>
__device__ void nearest_by_chain(const CentersView& centers, const float* points,
                                 std::int32_t* labels) {
  constexpr int kLanes = Maker::kThreads / Maker::kPoints;
  static_assert(kLanes * Maker::kPoints == Maker::kThreads && 32 % kLanes == 0);
  const int point = static_cast<int>(threadIdx.x) / kLanes,
            lane = static_cast<int>(threadIdx.x) % kLanes;
  const float* numbers = points + point * Maker::kStride;
  float least = fovea::cuda::nearest::kInfinity;
  int label = 0;
  for (int center = lane; center < centers.centers; center += kLanes) {
    const float* other = centers.numbers + static_cast<std::size_t>(center) * centers.pitch;
    float score = centers.halves[center];
    for (int i = 0; i < Maker::kDimensions; i += 4) {
      const float4 c = *reinterpret_cast<const float4*>(other + i);
      const float4 p = *reinterpret_cast<const float4*>(numbers + i);
      score = fovea::detail::add_to_score(p.x, c.x, score);
      score = fovea::detail::add_to_score(p.y, c.y, score);
      score = fovea::detail::add_to_score(p.z, c.z, score);
      score = fovea::detail::add_to_score(p.w, c.w, score);
    }
    if (score < least) {
      least = score;
      label = center;
    }
  }
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const float other = __shfl_xor_sync(~0U, least, distance);
    const int other_label = __shfl_xor_sync(~0U, label, distance);
    if (other < least || (other == least && other_label < label)) {
      least = other;
      label = other_label;
    }
  }
  if (lane == 0) labels[point] = label;
  __syncthreads();
}

template <class Maker>
__global__ void __launch_bounds__(Maker::kThreads)
    long_words_kernel(const __grid_constant__ WordsJob<Maker> job) {
  extern __shared__ float4 shared[];
  auto* points = reinterpret_cast<float*>(shared);
  auto* labels = reinterpret_cast<std::int32_t*>(points + Maker::kPoints * Maker::kStride);
  auto* work = reinterpret_cast<float*>(labels + Maker::kPoints);
  for (TileWalk walk(job.table, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
       walk.more(); walk.next()) {
    const GridEntry entry = walk.entry();  // in registers
    Maker::describe(job.maker, entry, walk.number(), points, work);
    nearest_by_chain<Maker>(job.centers, points, labels);
    use_words<Maker>(job.use, job.centers.centers, entry, walk.tile(), labels);
  }
}

template <class Maker>
struct DescribeJob {
  typename Maker::Job maker;
  GridTable table;
  float* out;  // descriptors, `stride` apart
  std::ptrdiff_t stride;
  int kept;  // above 0, only the first of every kBankFilters numbers are written, without gaps
};

template <class Maker>
__global__ void __launch_bounds__(Maker::kThreads)
    describe_kernel(const __grid_constant__ DescribeJob<Maker> job) {
  extern __shared__ float4 shared[];
  auto* points = reinterpret_cast<float*>(shared);
  float* work = points + Maker::kPoints * Maker::kStride;
  for (TileWalk<Maker::Tiles::kParts> walk(job.table, static_cast<int>(blockIdx.x),
                                           static_cast<int>(gridDim.x));
       walk.more(); walk.next()) {
    const GridEntry entry = walk.entry();  // in registers
    Maker::describe(job.maker, entry, walk.number(), points, work);
    for (int i = static_cast<int>(threadIdx.x); i < Maker::kPoints * Maker::kDimensions;
         i += Maker::kThreads) {
      const int point = i / Maker::kDimensions, number = i % Maker::kDimensions;
      int column = 0, row = 0;
      if (!Maker::Tiles::place(entry.grid, walk.tile(), point, column, row)) continue;
      int at = number;
      if (job.kept > 0) {
        if (number % kBankFilters >= job.kept) continue;
        at = number / kBankFilters * job.kept + number % kBankFilters;
      }
      const std::int64_t to = entry.output + place_at(entry, column, row).output;
      job.out[to * job.stride + at] = points[point * Maker::kStride + number];
    }
    __syncthreads();
  }
}

constexpr const char* kDescribing = "scenes: describing places";

// The number of blocks that run at once on the device.
template <class Kernel>
int blocks_at_once(Kernel* kernel, int threads, std::size_t shared_bytes) {
  fovea::cuda::allow_shared(kernel, shared_bytes, kDescribing);
  int device = 0, processors = 0, blocks = 0;
  fovea::cuda::check(cudaGetDevice(&device), kDescribing);
  fovea::cuda::check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                     kDescribing);
  fovea::cuda::check(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
      kDescribing);
  return std::max(1, processors * blocks);
}

// As many blocks as run at once, but no more than there are tiles.
template <class Maker, class Kernel, class Job>
void launch_tiles(Kernel* kernel, std::size_t shared_bytes, const Job& job, cudaStream_t stream) {
  const std::int32_t tiles = job.table.tiles * Maker::Tiles::kParts;
  if (tiles == 0) return;
  const int grid = std::min(tiles, blocks_at_once(kernel, Maker::kThreads, shared_bytes));
  kernel<<<grid, Maker::kThreads, shared_bytes, stream>>>(job);
  fovea::cuda::check_launch(kDescribing);
}

template <class Maker, int kTiles, int kSplit, int kBlocks, int kChunkBytes = kSearchChunkBytes>
void launch_words(const WordsJob<Maker>& job, cudaStream_t stream) {
  using Shape = TileShape<Maker, kTiles, kSplit, kChunkBytes>;
  launch_tiles<Maker>(words_kernel<Maker, Shape, kBlocks>,
                      words_shared_bytes<fovea::cuda::NearestScratch<Shape>, Maker>(), job, stream);
}
template <class Maker>
void launch_long_words(const WordsJob<Maker>& job, cudaStream_t stream) {
  launch_tiles<Maker>(long_words_kernel<Maker>,
                      (Maker::kPoints * (Maker::kStride + 1) + Maker::kWorkFloats) * sizeof(float),
                      job, stream);
}
template <class Maker>
void launch_describe(const DescribeJob<Maker>& job, cudaStream_t stream) {
  launch_tiles<Maker>(describe_kernel<Maker>,
                      (Maker::kPoints * Maker::kStride + Maker::kWorkFloats) * sizeof(float), job,
                      stream);
}

}  // namespace fovea::scenes::cuda
