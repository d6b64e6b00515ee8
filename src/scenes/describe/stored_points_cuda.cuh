// How the numbers of a maker's tiles reach the search for words: in the shared memory of one
// kernel, or through device memory between two kernels. With two, each has tiles and threads of its
// own: filters want tall tiles, because the rows above and below a tile are computed as well, and
// the search wants few points per block, so that several blocks are on a multiprocessor.
#pragma once
#include <algorithm>

#include "scenes/describe/describer_cuda.cuh"

namespace fovea::scenes::cuda {

// One kernel describes a tile and uses its numbers. The parameters are those of launch_words().
template <class Maker, int kTiles, int kSplit, int kBlocks>
class InOneKernel {
 public:
  using Tiles = typename Maker::Tiles;
  using Job = typename Maker::Job;

  void find_words(const Job& job, const GridTable& table, const CentersView& centers,
                  const WordsUse& use, cudaStream_t stream) {
    launch_words<Maker, kTiles, kSplit, kBlocks>({job, table, centers, use}, stream);
  }
  void write(const Job& job, const GridTable& table, ImageView<float> out, cudaStream_t stream) {
    write_some(job, table, out, 0, stream);
  }
  // The first `kept` of every kBankFilters numbers; 0 stands for all.
  void write_some(const Job& job, const GridTable& table, ImageView<float> out, int kept,
                  cudaStream_t stream) {
    launch_describe<Maker>({job, table, out.data, out.stride, kept}, stream);
  }
};

// Groups of four numbers in a tile.
template <class Maker>
constexpr std::size_t kTileFours = std::size_t{Maker::kPoints} * Maker::kDimensions / 4;

// A tile in device memory: four numbers of every point, then the next four, so that neighboring
// threads, which have neighboring points, write and read without gaps.
template <int kPoints>
struct StoredTile {
  float4* fours;

  __device__ void put(int point, int number, float4 numbers) const {
    fours[number / 4 * kPoints + point] = numbers;
  }
};

template <class Maker>
struct StoreJob {
  typename Maker::Job maker;
  GridTable table;
  float4* fours;  // the tiles of the launch
};

template <class Maker, int kBlocks>
__global__ void __launch_bounds__(Maker::kThreads, kBlocks)
    store_points_kernel(const __grid_constant__ StoreJob<Maker> job) {
  extern __shared__ float4 shared[];
  for (TileWalk walk(job.table, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
       walk.more(); walk.next()) {
    const TileNumber tile = walk.number();
    const StoredTile<Maker::kPoints> to{job.fours + static_cast<std::size_t>(tile.of_launch) *
                                                        kTileFours<Maker>};
    Maker::describe_to(job.maker, GridEntry(walk.entry()), tile, to,
                       reinterpret_cast<float*>(shared));
  }
}

// A maker of parts of the tiles that another maker has stored.
template <class Stored, int kPartPoints, int kBlockThreads>
struct StoredPoints {
  using Tiles = TileParts<typename Stored::Tiles, kPartPoints>;
  struct Job {
    const float4* fours;  // the tiles of the launch
  };
  static constexpr int kDimensions = Stored::kDimensions;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kPoints = kPartPoints;
  // Pairs of numbers of four points, which the search reads at once, are in different banks.
  static constexpr int kStride = kDimensions + 8;
  static constexpr int kWorkFloats = 0;

  // Eight threads copy eight numbers of four points: these are in different banks, and four such
  // groups read two runs of 256 bytes.
  __device__ static void describe(const Job& job, const GridEntry&, TileNumber tile, float* points,
                                  float*) {
    constexpr int kFours = kDimensions / 4, kGroups = kPoints / 4;
    static_assert(kFours % 2 == 0 && kPoints % 4 == 0);
    const float4* from =
        job.fours + static_cast<std::size_t>(tile.of_launch / Tiles::kParts) * kTileFours<Stored> +
        tile.of_launch % Tiles::kParts * kPoints;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < kPoints * kFours; i += kThreads) {
      const int group = i / 8;
      const int point = group % kGroups * 4 + i % 4, four = group / kGroups * 2 + i / 4 % 2;
      fovea::cuda::nearest::copy_ahead<16>(points + point * kStride + four * 4,
                                           from + four * Stored::kPoints + point);
    }
    fovea::cuda::nearest::await_copies();
    __syncthreads();
  }
};

// The most that is stored at a time. What an H200 describes at once, 3 tiles of 344 KB on each of
// its 132 multiprocessors, fits; with less, some of them would have no tile. That is more than its
// cache of 50 MB, but at 4.8 TB/s its memory takes the 472 MB of a photograph of 1280x960 pixels in
// a tenth of a millisecond.
constexpr std::size_t kStoredBytes = std::size_t{160} << 20;

// One kernel stores tiles, with kMakerBlocks blocks per multiprocessor, and another uses parts of
// kPartPoints of them, with kPartThreads threads per block. The other parameters are those of
// launch_words().
template <class Maker, int kMakerBlocks, int kPartPoints, int kPartThreads, int kTiles, int kSplit,
          int kBlocks, int kChunkBytes = kSearchChunkBytes>
class ThroughMemory {
  using Part = StoredPoints<Maker, kPartPoints, kPartThreads>;

 public:
  using Tiles = typename Maker::Tiles;
  using Job = typename Maker::Job;

  void find_words(const Job& job, const GridTable& table, const CentersView& centers,
                  const WordsUse& use, cudaStream_t stream) {
    each_range(job, table, stream, [&](const GridTable& range) {
      launch_words<Part, kTiles, kSplit, kBlocks, kChunkBytes>(
          {{fours_.data()}, range, centers, use}, stream);
    });
  }
  void write(const Job& job, const GridTable& table, ImageView<float> out, cudaStream_t stream) {
    each_range(job, table, stream, [&](const GridTable& range) {
      launch_describe<Part>({{fours_.data()}, range, out.data, out.stride, 0}, stream);
    });
  }

 private:
  // Calls body(range) for ranges of tiles when the numbers of the range are stored.
  template <class Body>
  void each_range(const Job& job, const GridTable& table, cudaStream_t stream, const Body& body) {
    constexpr auto kMost = static_cast<std::int32_t>(
        std::max<std::size_t>(1, kStoredBytes / (kTileFours<Maker> * sizeof(float4))));
    constexpr std::size_t kShared = Maker::kWorkFloats * sizeof(float);
    const auto kernel = store_points_kernel<Maker, kMakerBlocks>;
    // Every block has the same number of tiles in all ranges but the last.
    const std::int32_t together = blocks_at_once(kernel, Maker::kThreads, kShared);
    const std::int32_t most = kMost > together ? kMost - kMost % together : kMost;
    float4* fours = fours_.reserve(
        static_cast<std::size_t>(std::min(most, table.tiles)) * kTileFours<Maker>, stream);
    for (GridTable range = table; range.first < table.tiles; range.first += range.tiles) {
      range.tiles = std::min(most, table.tiles - range.first);
      launch_tiles<Maker>(kernel, kShared, StoreJob<Maker>{job, range, fours}, stream);
      body(range);
    }
  }

  OrderedBuffer<float4> fours_{};
};

}  // namespace fovea::scenes::cuda
