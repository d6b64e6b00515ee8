// CUDA twin of the convolution. A block computes a tile: strips of source rows go to shared memory
// as floats, with the border values filled in. Both passes of a separable kernel run there, so that
// the intermediate result never reaches device memory. A thread sums eight neighboring outputs at
// once, so that eight taps need fifteen loads for 64 multiply-adds. Rows in shared memory are
// skewed by one word in eight, so that threads eight columns apart access different banks. Each
// channel has blocks of its own.
#include <algorithm>
#include <vector>

#include "core/on_device.cuh"
#include "ops/convolve/backend.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int outputs = 8;  // neighboring outputs per thread; taps are processed in groups of this size too
  int threads_x = 8;   // threads along a row: tiles are 64 pixels wide
  int threads_y = 32;  // rows that are worked on at a time
  int separable_rows =
      64;  // rows per tile; the taller a tile, the fewer rows are computed by two tiles
  int fused_taps =
      33;  // with more column taps, rows that are computed twice cost more than a second launch
  int kernel_rows = 16;  // rows of a general kernel that are in shared memory at a time
} kTuning;
constexpr int kTileWidth = kTuning.outputs * kTuning.threads_x;
constexpr int kThreads = kTuning.threads_x * kTuning.threads_y;
constexpr int kWarps = kThreads / 32;

FOVEA_HD constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }
// The position of column x in a skewed row, and the length of a row with `columns` columns: 8
// modulo 32, so that threads in four consecutive rows access different banks too.
FOVEA_HD constexpr int skewed(int x) { return x + x / 8; }
FOVEA_HD constexpr int pitch_for(int columns) {
  return round_up(skewed(columns) - 8 > 0 ? skewed(columns) - 8 : 0, 32) + 8;
}
// The number of columns that a thread with eight outputs reads for a kernel of `taps` taps, rounded
// up to whole groups of taps.
FOVEA_HD constexpr int columns_for(int taps) {
  return kTileWidth + round_up(taps, kTuning.outputs);
}
constexpr int kTilePitch = pitch_for(kTileWidth);

// sum[i] += weights[k] * load(k + i), with k in order. load() may be called for up to seven places
// beyond the kernel; their values are not used.
template <class Load>
__device__ void add_products(const float* weights, int taps, const Load& load,
                             float (&sum)[kTuning.outputs]) {
  constexpr int kN = kTuning.outputs;
  for (int first = 0; first < taps; first += kN) {
    float window[2 * kN - 1];
#pragma unroll
    for (int i = 0; i < 2 * kN - 1; ++i) window[i] = load(first + i);
#pragma unroll
    for (int k = 0; k < kN; ++k) {
      if (first + k < taps) {
        const float weight = weights[first + k];
#pragma unroll
        for (int i = 0; i < kN; ++i) sum[i] = fmaf(window[i + k], weight, sum[i]);
      }
    }
  }
}

// The corner and the channel of a block's tile.
struct Tile {
  int x, y, channel;
};
template <class T>
__device__ Tile find_tile(const ImageView<T>& image, int tile_rows) {
  const int across = (image.width + kTileWidth - 1) / kTileWidth;
  const int channel = static_cast<int>(blockIdx.x) / across;
  return {(static_cast<int>(blockIdx.x) - channel * across) * kTileWidth, block_row() * tile_rows,
          channel};
}

// Loads rows [first, first + rows) of the source, from column x0 on, with one warp per row.
template <class T>
__device__ void load_rows(const ImageView<const T>& image, const detail::ConvolveParams& params,
                          int channel, int x0, int first, int rows, int columns, int pitch,
                          float* shared) {
  for (int r = threadIdx.x / 32; r < rows; r += kWarps) {
    const int y = detail::border_index(first + r, image.height, params.border);
    for (int i = threadIdx.x % 32; i < columns; i += 32) {
      const int x = detail::border_index(x0 + i, image.width, params.border);
      shared[r * pitch + skewed(i)] =
          x < 0 || y < 0 ? params.border_value : static_cast<float>(image.at(x, y, channel));
    }
  }
}

__device__ void load_weights(const float* weights, int count, float* shared) {
  for (int i = threadIdx.x; i < count; i += kThreads) shared[i] = weights[i];
}

// The weights of a separable kernel. They are small enough to be a kernel argument, so that nothing
// is uploaded and a captured graph holds them.
struct SeparableTaps {
  SeparableTaps(std::span<const float> row, std::span<const float> column)
      : width(static_cast<int>(row.size())), height(static_cast<int>(column.size())) {
    std::copy(column.begin(), column.end(), std::copy(row.begin(), row.end(), weights));
  }
  int width, height;
  float weights[2 * detail::kMostTaps];  // weights of the row kernel, then of the column kernel
};

inline int separable_shared_floats(int width, int height) {
  return round_up(width, 8) + round_up(height, 8) +
         kTuning.threads_y * pitch_for(columns_for(width)) +
         (kTuning.separable_rows + round_up(height, kTuning.outputs)) * kTilePitch;
}

template <class T, class Out>
__global__ void __launch_bounds__(kThreads)
    separable_kernel(ImageView<const T> image, ImageView<Out> out,
                     const __grid_constant__ SeparableTaps kernel, detail::ConvolveParams params) {
  constexpr int kN = kTuning.outputs;
  extern __shared__ float shared[];
  const int pitch = pitch_for(columns_for(kernel.width));
  float* row_weights = shared;
  float* column_weights = row_weights + round_up(kernel.width, 8);
  float* strip = column_weights + round_up(kernel.height, 8);
  float* middle = strip + kTuning.threads_y * pitch;
  const Tile tile = find_tile(image, kTuning.separable_rows);
  const int channel = tile.channel, tile_x = tile.x, tile_y = tile.y;
  if (tile_y >= image.height) return;
  load_weights(kernel.weights, kernel.width, row_weights);
  load_weights(kernel.weights + kernel.width, kernel.height, column_weights);

  const int rows = kTuning.separable_rows + kernel.height - 1;
  const int tx = threadIdx.x % kTuning.threads_x, ty = threadIdx.x / kTuning.threads_x;
  for (int first = 0; first < rows; first += kTuning.threads_y) {
    const int count = min(kTuning.threads_y, rows - first);
    __syncthreads();  // the previous strip has been read
    load_rows(image, params, channel, tile_x - params.anchor_x, tile_y - params.anchor_y + first,
              count, kTileWidth + kernel.width - 1, pitch, strip);
    __syncthreads();
    if (ty >= count) continue;
    const float* from = strip + ty * pitch;
    float sum[kN] = {};
    add_products(
        row_weights, kernel.width, [&](int i) { return from[skewed(tx * kN + i)]; }, sum);
#pragma unroll
    for (int i = 0; i < kN; ++i) middle[(first + ty) * kTilePitch + skewed(tx * kN + i)] = sum[i];
  }
  __syncthreads();

  const int column = threadIdx.x % kTileWidth, x = tile_x + column;
  if (x >= image.width) return;
  constexpr int kRowGroups = kThreads / kTileWidth;
  for (int y = threadIdx.x / kTileWidth * kN; y < kTuning.separable_rows; y += kRowGroups * kN) {
    if (tile_y + y >= image.height) return;
    const float* from = middle + y * kTilePitch + skewed(column);
    float sum[kN] = {};
    add_products(
        column_weights, kernel.height, [&](int i) { return from[i * kTilePitch]; }, sum);
#pragma unroll
    for (int i = 0; i < kN; ++i)
      if (tile_y + y + i < image.height)
        out.at(x, tile_y + y + i, channel) = detail::pixel_from_sum<Out>(sum[i]);
  }
}

inline int general_shared_floats(int width, int height) {
  const int rows = std::min(height, kTuning.kernel_rows);
  return round_up(rows * width, 8) +
         std::max((kTuning.threads_y + rows - 1) * pitch_for(columns_for(width)),
                  kTuning.threads_y * kTilePitch);
}

// Loads a few rows of the kernel at a time, so that a kernel of any height fits.
template <class T, class Out>
__global__ void __launch_bounds__(kThreads)
    general_kernel(ImageView<const T> image, ImageView<Out> out, detail::Kernel2d kernel,
                   detail::ConvolveParams params) {
  constexpr int kN = kTuning.outputs;
  extern __shared__ float shared[];
  const int most_rows = min(kernel.height, kTuning.kernel_rows);
  const int pitch = pitch_for(columns_for(kernel.width));
  float* weights = shared;
  float* strip = weights + round_up(most_rows * kernel.width, 8);
  const Tile tile = find_tile(image, kTuning.threads_y);
  const int channel = tile.channel, tile_x = tile.x, tile_y = tile.y;
  if (tile_y >= image.height) return;
  const int tx = threadIdx.x % kTuning.threads_x, ty = threadIdx.x / kTuning.threads_x;

  float sum[kN] = {};
  for (int first = 0; first < kernel.height; first += kTuning.kernel_rows) {
    const int rows = min(kTuning.kernel_rows, kernel.height - first);
    __syncthreads();  // the previous strip has been read
    load_weights(kernel.weights + first * kernel.width, rows * kernel.width, weights);
    load_rows(image, params, channel, tile_x - params.anchor_x, tile_y - params.anchor_y + first,
              kTuning.threads_y + rows - 1, kTileWidth + kernel.width - 1, pitch, strip);
    __syncthreads();
    for (int j = 0; j < rows; ++j) {
      const float* from = strip + (ty + j) * pitch;
      add_products(
          weights + j * kernel.width, kernel.width,
          [&](int i) { return from[skewed(tx * kN + i)]; }, sum);
    }
  }
  // Outputs go through shared memory once more, so that a warp writes neighboring pixels.
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kN; ++i) strip[ty * kTilePitch + skewed(tx * kN + i)] = sum[i];
  __syncthreads();
  const int column = threadIdx.x % kTileWidth, x = tile_x + column;
  if (x >= image.width) return;
  for (int r = threadIdx.x / kTileWidth; r < kTuning.threads_y; r += kThreads / kTileWidth) {
    if (tile_y + r >= image.height) return;
    out.at(x, tile_y + r, channel) =
        detail::pixel_from_sum<Out>(strip[r * kTilePitch + skewed(column)]);
  }
}

template <class T>
dim3 grid_for(const ImageView<T>& image, int tile_rows) {
  return tall_grid(blocks_for(image.width, kTileWidth) * static_cast<unsigned>(image.channels),
                   blocks_for(image.height, tile_rows));
}

template <class T, class Out>
void launch_separable(Session& session, ImageView<const T> image, ImageView<Out> out,
                      const SeparableTaps& kernel, const detail::ConvolveParams& params) {
  const std::size_t bytes = separable_shared_floats(kernel.width, kernel.height) * sizeof(float);
  allow_shared(separable_kernel<T, Out>, bytes, "convolve_separable");
  separable_kernel<<<grid_for(image, kTuning.separable_rows), kThreads, bytes, session.stream()>>>(
      image, out, kernel, params);
  check_launch("convolve_separable");
}

// The result of the row kernel for a row that lies completely in the constant border.
float border_after_rows(std::span<const float> row, float value) {
  float sum = 0;
  for (const float weight : row) sum = std::fmaf(value, weight, sum);
  return sum;
}

// Two launches of the same kernel, each with a single tap of 1 in the other direction.
template <class T, class Out>
void launch_in_turn(Session& session, ImageView<const T> image, ImageView<Out> out,
                    const detail::SeparableKernel& kernel, const detail::ConvolveParams& params) {
  const float one = 1;
  const std::span<const float> single(&one, 1);
  const auto stride = static_cast<std::ptrdiff_t>(round_up(image.row_elements(), 32));
  DeviceBuffer<float> buffer(static_cast<std::size_t>(stride) * image.height, session.stream());
  const ImageView<float> middle{buffer.data(),  image.width, image.height,
                                image.channels, stride,      Memory::kCuda};
  detail::ConvolveParams along = params, down = params;
  along.anchor_y = 0;
  down.anchor_x = 0;
  down.border_value = border_after_rows(kernel.row, params.border_value);
  launch_separable(session, image, middle, {kernel.row, single}, along);
  launch_separable(session, ImageView<const float>(middle), out, {single, kernel.column}, down);
}

}  // namespace

template <class T, class Out>
void convolve_separable(ImageView<const T> image, ImageView<Out> out,
                        const detail::SeparableKernel& kernel, const detail::ConvolveParams& params,
                        const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<Out> result(session, out);
  if (static_cast<int>(kernel.column.size()) <= kTuning.fused_taps) {
    launch_separable(session, in.image(), result.image(), {kernel.row, kernel.column}, params);
  } else {
    launch_in_turn(session, in.image(), result.image(), kernel, params);
  }
  result.fetch();
  session.finish("convolve_separable");
}
template void convolve_separable(ImageView<const std::uint8_t>, ImageView<float>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);
template void convolve_separable(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);
template void convolve_separable(ImageView<const float>, ImageView<float>,
                                 const detail::SeparableKernel&, const detail::ConvolveParams&,
                                 const Exec&);

template <class T, class Out>
void convolve(ImageView<const T> image, ImageView<Out> out, const detail::Kernel2d& kernel,
              const detail::ConvolveParams& params, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<Out> result(session, out);
  DeviceBuffer<float> weights(static_cast<std::size_t>(kernel.width) * kernel.height,
                              session.stream());
  weights.fill(kernel.weights);
  const std::size_t bytes = general_shared_floats(kernel.width, kernel.height) * sizeof(float);
  allow_shared(general_kernel<T, Out>, bytes, "convolve");
  general_kernel<<<grid_for(image, kTuning.threads_y), kThreads, bytes, session.stream()>>>(
      in.image(), result.image(), detail::Kernel2d{weights.data(), kernel.width, kernel.height},
      params);
  result.fetch();
  session.finish("convolve");
}
template void convolve(ImageView<const std::uint8_t>, ImageView<float>, const detail::Kernel2d&,
                       const detail::ConvolveParams&, const Exec&);
template void convolve(ImageView<const std::uint8_t>, ImageView<std::uint8_t>,
                       const detail::Kernel2d&, const detail::ConvolveParams&, const Exec&);
template void convolve(ImageView<const float>, ImageView<float>, const detail::Kernel2d&,
                       const detail::ConvolveParams&, const Exec&);

}  // namespace fovea::cuda
