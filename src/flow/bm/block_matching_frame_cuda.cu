// What block matching computes from one image on CUDA: levels with 8 bits, each halved from the
// previous one and quantized in one launch, and the sums of every block. A block of threads first
// sums columns of a block's height, running down, and then along the rows, from shared memory.
#include "core/launch.cuh"
#include "flow/bm/block_matching_cuda.cuh"
#include "ops/convolve/convolve_math.h"
#include "ops/pyramid/pyramid_math.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::block_row;
using fovea::cuda::blocks_for;
using fovea::cuda::check_launch;
using fovea::cuda::grid_over;
using fovea::cuda::tall_grid;
using fovea::cuda::thread_place;

constexpr struct {
  int pixels_x = 32,
      pixels_y = 8;  // pixels of a level that a block of threads computes, one warp per row
  int sums_x = 64, sums_y = 16;  // block sums per block of threads
  int sums_run = 4;              // block sums along a row per thread
} kTuning;
constexpr dim3 kThreads(kTuning.pixels_x, kTuning.pixels_y);
constexpr int kSumThreads = kTuning.sums_x / kTuning.sums_run * kTuning.sums_y;

__device__ void store_level(const DeviceBlockLevel& level, int2 at, float gray, float cover) {
  if (level.valid.data == nullptr) {
    level.gray.at(at.x, at.y) = bm::quantized(gray);
    return;
  }
  const bool counts = cover >= bm::kLeastCover;
  level.valid.at(at.x, at.y) = counts ? 255 : 0;
  level.gray.at(at.x, at.y) = counts ? bm::quantized(gray / cover) : std::uint8_t{0};
}

__global__ void quantize_kernel(ImageView<const float> gray, ImageView<const std::uint8_t> mask,
                                DeviceBlockGray out, DeviceBlockLevel level) {
  const int2 at = thread_place();
  if (at.x >= level.width || at.y >= level.height) return;
  float value = gray.at(at.x, at.y), cover = 1;
  if (mask.data != nullptr) {
    const bool counts = mask.at(at.x, at.y) != 0;
    value = counts ? value : 0.0F;
    cover = counts ? 1.0F : 0.0F;
    out.gray.at(at.x, at.y) = value;
    out.cover.at(at.x, at.y) = cover;
  }
  store_level(level, at, value, cover);
}

__device__ int mirrored(int i, int size) {
  return fovea::detail::border_index(i, size, Border::kReflect101);
}

constexpr int kSourceColumns = 2 * kTuning.pixels_x + 3;
// One pixel of the halved image; `down` is memory for the sums of the columns of its row.
__device__ float halved(const ImageView<const float>& image, int2 at, bool inside, float* down) {
  const int first = 2 * static_cast<int>(blockIdx.x) * kTuning.pixels_x - 2;
  __syncwarp();
  if (inside) {
    const float* rows[5];
#pragma unroll
    for (int k = 0; k < 5; ++k) rows[k] = image.row(mirrored(2 * at.y + k - 2, image.height));
    for (int i = static_cast<int>(threadIdx.x); i < kSourceColumns; i += kTuning.pixels_x) {
      const int x = mirrored(first + i, image.width);
      down[i] =
          fovea::detail::five_taps(rows[0][x] + rows[4][x], rows[1][x] + rows[3][x], rows[2][x]);
    }
  }
  __syncwarp();
  const float* tap = down + 2 * threadIdx.x;
  return fovea::detail::halved_pixel<float>(
      fovea::detail::five_taps(tap[0] + tap[4], tap[1] + tap[3], tap[2]));
}

__global__ void halve_kernel(DeviceBlockSource gray, DeviceBlockGray out, DeviceBlockLevel level) {
  __shared__ float down[kTuning.pixels_y][kSourceColumns];
  const int2 at = thread_place();
  const bool row_inside = at.y < level.height;
  const float value = halved(gray.gray, at, row_inside, down[threadIdx.y]);
  float cover = 1;
  if (level.valid.data != nullptr) cover = halved(gray.cover, at, row_inside, down[threadIdx.y]);
  if (!row_inside || at.x >= level.width) return;
  out.gray.at(at.x, at.y) = value;
  if (level.valid.data != nullptr) out.cover.at(at.x, at.y) = cover;
  store_level(level, at, value, cover);
}

// Shared memory holds, for each row of blocks, the sums of all columns and then those of their
// squares.
__global__ void sum_kernel(DeviceBlockLevel level, int block) {
  extern __shared__ std::int32_t columns[];
  const int wide = kTuning.sums_x + block - 1;
  std::int32_t* sums = columns;
  std::int32_t* squares = columns + kTuning.sums_y * wide;
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.sums_x, y0 = block_row() * kTuning.sums_y;
  const int rows = min(kTuning.sums_y, level.height - block + 1 - y0);
  const int used = min(wide, level.width - x0);
  if (rows < 1) return;
  for (int i = static_cast<int>(threadIdx.x); i < used; i += kSumThreads) {
    // Loads do not wait for each other, because small levels have little other work.
    const std::uint8_t* from = &level.gray.at(x0 + i, y0);
    const auto pixel = [&](int y) -> std::int32_t { return __ldg(from + y * level.gray.stride); };
    std::int32_t sum = 0, square = 0;
#pragma unroll 8
    for (int y = 0; y < block - 1; ++y) {
      const std::int32_t in = pixel(y);
      sum += in, square += in * in;
    }
#pragma unroll 8
    for (int row = 0; row < rows; ++row) {
      const std::int32_t in = pixel(row + block - 1), gone = pixel(row);
      sum += in, square += in * in;
      sums[row * wide + i] = sum, squares[row * wide + i] = square;
      sum -= gone, square -= gone * gone;
    }
  }
  __syncthreads();
  constexpr int kRuns = kTuning.sums_x / kTuning.sums_run;
  const int row = static_cast<int>(threadIdx.x) / kRuns;
  const int at =
      static_cast<int>(threadIdx.x) % kRuns;  // neighboring threads have neighboring positions
  if (row >= rows) return;
  for (int k = 0; k < kTuning.sums_run; ++k) {
    const int column = at + k * kRuns;
    if (column + block > used) return;
    std::int32_t sum = 0, square = 0;
    for (int i = 0; i < block; ++i) {
      sum += sums[row * wide + column + i];
      square += squares[row * wide + column + i];
    }
    const int x = x0 + column, y = y0 + row;
    level.sums.at(x, y) = sum;
    if (level.squares.data != nullptr) level.squares.at(x, y) = square;
    level.inverse.at(x, y) = bm::inverse_deviation(block * block, sum, square);
  }
}

}  // namespace

void quantize_blocks(ImageView<const float> gray, ImageView<const std::uint8_t> mask,
                     const DeviceBlockGray& out, const DeviceBlockLevel& level,
                     cudaStream_t stream) {
  quantize_kernel<<<grid_over(level.width, level.height, kThreads), kThreads, 0, stream>>>(
      gray, mask, out, level);
  check_launch("gray levels of blocks");
}

void halve_blocks(const DeviceBlockSource& gray, const DeviceBlockGray& out,
                  const DeviceBlockLevel& level, cudaStream_t stream) {
  halve_kernel<<<grid_over(level.width, level.height, kThreads), kThreads, 0, stream>>>(gray, out,
                                                                                        level);
  check_launch("a coarser level");
}

void sum_blocks(const DeviceBlockLevel& level, int block, cudaStream_t stream) {
  const int columns = level.width - block + 1, rows = level.height - block + 1;
  if (columns < 1 || rows < 1) return;
  const std::size_t bytes = 2 * sizeof(std::int32_t) * kTuning.sums_y *
                            (static_cast<std::size_t>(kTuning.sums_x) + block - 1);
  fovea::cuda::allow_shared(sum_kernel, bytes, "sums of blocks");
  sum_kernel<<<tall_grid(blocks_for(columns, kTuning.sums_x), blocks_for(rows, kTuning.sums_y)),
               kSumThreads, bytes, stream>>>(level, block);
  check_launch("sums of blocks");
}

}  // namespace fovea::flow::cuda
