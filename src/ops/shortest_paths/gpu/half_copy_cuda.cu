// Copies half a square of distances to the host, a few rows at a time. Rows of the whole square are
// put together on the device, from the tiles beside the diagonal and those below it.
#include "ops/shortest_paths/gpu/half_copy.cuh"

#include <algorithm>

#include "ops/shortest_paths/host_pipe.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"

namespace fovea::cuda {
namespace {

using detail::kPanel;

constexpr unsigned kCopyThreads = 256;

__device__ float within(float distance, float cutoff) {
  return distance > cutoff ? __int_as_float(kInfiniteBits) : distance;
}

// Rows from `first` on: the distances from each node to the nodes up to it, one row after the
// other.
__global__ void pack_half_kernel(HalfCopy from, int first, float* to) {
  const std::int64_t row = first + static_cast<int>(blockIdx.x);
  const std::int64_t begin =
      row * (row + 1) / 2 - static_cast<std::int64_t>(first) * (first + 1) / 2;
  const int a = static_cast<int>(row);
  for (int b = static_cast<int>(threadIdx.x); b <= a; b += static_cast<int>(blockDim.x))
    to[begin + b] = within(from.half.tile(a / kPanel, b / kPanel)[a % kPanel * kPanel + b % kPanel],
                           from.cutoff);
}

constexpr int kBlock = detail::kHalfRows;  // side of what a block copies; a row has 8 threads

// Rows from `first` on, a multiple of kBlock, of the whole square.
__global__ void __launch_bounds__(8 * kBlock)
    spread_half_kernel(HalfCopy from, int first, int rows, float* to) {
  __shared__ float turned[kBlock][kBlock + 1];
  const int a = first + static_cast<int>(blockIdx.y) * kBlock;
  const int b = static_cast<int>(blockIdx.x) * kBlock;
  const int x = static_cast<int>(threadIdx.x) % kBlock;
  const bool below = a / kPanel >= b / kPanel;  // also in tiles of the diagonal, which are whole
  const int row = below ? a : b, column = below ? b : a;
  const float* tile = from.half.tile(row / kPanel, column / kPanel) +
                      static_cast<std::ptrdiff_t>(row % kPanel) * kPanel + column % kPanel;
  for (int y = static_cast<int>(threadIdx.x) / kBlock; y < kBlock; y += 8)
    turned[y][x] = within(tile[y * kPanel + x], from.cutoff);
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.x) / kBlock; y < kBlock; y += 8)
    if (a + y < first + rows && b + x < from.nodes)
      to[static_cast<std::int64_t>(a + y - first) * from.nodes + b + x] =
          below ? turned[y][x] : turned[x][y];
}

std::int64_t half_of(std::int64_t rows) { return rows * (rows + 1) / 2; }

}  // namespace

void half_lower(const HalfCopy& from, const Exec& exec, cudaStream_t stream,
                std::span<float> lower) {
  const int rows = detail::half_piped_rows(from.nodes);
  HostPipe pipe(static_cast<std::size_t>(rows) * static_cast<std::size_t>(from.nodes), stream);
  const auto begin = [&](int piece) { return half_of(std::min(from.nodes, piece * rows)); };
  pipe.run((from.nodes + rows - 1) / rows,
           [&](int piece, int, float* to, cudaStream_t there) {
             const auto count = static_cast<unsigned>(std::min(rows, from.nodes - piece * rows));
             launch(pack_half_kernel, {dim3(count), kCopyThreads, 0, there, "packing distances"},
                    from, piece * rows, to);
             return static_cast<std::size_t>(begin(piece + 1) - begin(piece));
           },
           [&](int piece, const float* packed) {
             constexpr std::int64_t kGrain = 1 << 18;
             throw_if_stopped(exec);
             parallel_for(exec, begin(piece + 1) - begin(piece), kGrain,
                          [&](std::int64_t first, std::int64_t end) {
                            std::copy(packed + first, packed + end,
                                      lower.data() + begin(piece) + first);
                          });
           });
}

void half_rows(const HalfCopy& from, const Exec& exec, cudaStream_t stream, detail::TakeRows take) {
  const int rows = detail::half_piped_rows(from.nodes);
  HostPipe pipe(static_cast<std::size_t>(rows) * static_cast<std::size_t>(from.nodes), stream);
  const auto count = [&](int piece) { return std::min(rows, from.nodes - piece * rows); };
  pipe.run((from.nodes + rows - 1) / rows,
           [&](int piece, int, float* to, cudaStream_t there) {
             launch(spread_half_kernel,
                    {dim3(blocks_for(from.nodes, kBlock), blocks_for(count(piece), kBlock)),
                     8 * kBlock, 0, there, "rows of distances"},
                    from, piece * rows, count(piece), to);
             return static_cast<std::size_t>(count(piece)) * static_cast<std::size_t>(from.nodes);
           },
           [&](int piece, const float* spread) {
             throw_if_stopped(exec);
             take({piece * rows, packed_view(spread, from.nodes, count(piece), 1, Memory::kHost)});
           });
}

}  // namespace fovea::cuda
