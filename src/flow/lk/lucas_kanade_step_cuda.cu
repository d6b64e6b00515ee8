// One step of Lucas-Kanade on CUDA. A block of threads serves a tile: it warps the tile and its
// margins, multiplies, sums along rows, sums down columns and solves, all in shared memory; only
// the flow is written. The sums of several neighbors are kept in registers, so that a product is
// read from shared memory about once for four of them.
#include <algorithm>

#include "flow/lk/lucas_kanade_trial_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

// Large tiles compute fewer pixels twice. Small tiles with many threads finish sooner where there
// are few tiles.
constexpr struct {
  int large = 32;           // side of a tile, pixels
  int large_threads = 256;  // threads of its block
  int small = 16;           // side of a small tile, pixels
  int small_threads = 512;
  int few_tiles = 264;  // up to so many large tiles, small ones are used instead
  int run = 4;          // neighboring sums along a row per thread
} kTuning;
constexpr int kSums = 5;  // xx, xy, yy, xt, yt

// The layout of a block's shared memory for windows of a radius: first the products, then the
// warped pixels, whose memory is used again for the sums along rows.
struct Layout {
  int rows;      // rows of products; there are as many columns
  int pitch;     // distance between rows of products
  int warped;    // rows and columns that are warped
  int products;  // floats per plane
  int floats;    // floats in all

  FOVEA_HD constexpr Layout(int tile, int radius)
      : rows(tile + 2 * radius),
        pitch((rows + 3) / 4 * 4 + 4),
        warped(rows + 2),
        products(rows * pitch),
        floats(kSums * products + larger(3 * warped * warped, kSums * rows * tile)) {}
  FOVEA_HD static constexpr int larger(int a, int b) { return a > b ? a : b; }
};

struct Warped {
  float sum, difference, weight;
};

template <int kChannels>
__device__ Warped warped_at(const DeviceStep& job, int channel, int x, int y) {
  const auto plane_of = [channel](const DeviceFrameLevel& level) -> const auto& {
    return kChannels == 1 ? level.features : level.channel(channel);
  };
  const DevicePlane<std::uint8_t>& second = plane_of(job.second);
  const lk::Landing across = lk::landing(x, job.in.u.at(x, y), second.width);
  const lk::Landing down = lk::landing(y, job.in.v.at(x, y), second.height);
  const std::uint8_t* above = second.row(down.index);
  const std::uint8_t* below = second.row(lk::least(down.index + 1, second.height - 1));
  const int next = lk::least(across.index + 1, second.width - 1);
  const float upper = lk::blended(above[across.index], above[next], across.fraction);
  const float lower = lk::blended(below[across.index], below[next], across.fraction);
  const float value = lk::blended(upper, lower, down.fraction);
  const float here = plane_of(job.first).at(x, y);
  const float difference = value - here;
  bool counts = across.inside && down.inside;
  counts = counts && job.first.counts(x, y) && job.second.counts(across.index, down.index);
  // The systems of several channels are averaged.
  constexpr float kShare = kChannels == 1 ? 1.0F : 1.0F / 3;
  return {here + value, difference,
          counts ? kShare * lk::robust_weight(difference, job.robust) : 0.0F};
}

__device__ lk::Products products_at(const float* sum, const float* difference, const float* weight,
                                    int at, int pitch) {
  const float gx = lk::gradient(sum[at - 1], sum[at + 1]);
  const float gy = lk::gradient(sum[at - pitch], sum[at + pitch]);
  return lk::products(gx, gy, difference[at], weight[at]);
}

// kRadius 0 means that the radius is known only at run time.
template <int kChannels, int kRadius, int kTile, int kThreads>
__global__ void __launch_bounds__(kThreads) step_kernel(DeviceStep job) {
  extern __shared__ float4 shared[];
  fovea::cuda::after_previous();
  const int radius = kRadius > 0 ? kRadius : job.radius;
  const Layout layout(kTile, radius);
  float* products = reinterpret_cast<float*>(shared);
  float* rest = products + kSums * layout.products;
  const int x0 = static_cast<int>(blockIdx.x) * kTile;
  const int y0 = static_cast<int>(blockIdx.y) * kTile;
  const int width = job.in.u.width, height = job.in.u.height;
  const int thread = static_cast<int>(threadIdx.x);

  if (!tile_counts<kTile, kThreads>(job.first.mask, {x0, y0})) {
    for_tile<kTile, kThreads>(width, height, {x0, y0}, [&](int x, int y) {
      job.out.u.at(x, y) = job.in.u.at(x, y);
      job.out.v.at(x, y) = job.in.v.at(x, y);
      if (job.eigenvalues.data != nullptr) job.eigenvalues.at(x, y) = 0;
    });
    return;
  }

  float *sum = rest, *difference = sum + layout.warped * layout.warped,
        *weight = difference + layout.warped * layout.warped;
  for (int channel = 0; channel < kChannels; ++channel) {
#pragma unroll 3
    for (int i = thread; i < layout.warped * layout.warped; i += kThreads) {
      const int x = lk::clamped(x0 - radius - 1 + i % layout.warped, width);
      const int y = lk::clamped(y0 - radius - 1 + i / layout.warped, height);
      const Warped warped = warped_at<kChannels>(job, channel, x, y);
      sum[i] = warped.sum;
      difference[i] = warped.difference;
      weight[i] = warped.weight;
    }
    __syncthreads();

    for (int i = thread; i < layout.rows * layout.rows; i += kThreads) {
      const int column = i % layout.rows, row = i / layout.rows;
      const int x = x0 - radius + column, y = y0 - radius + row;
      lk::Products here{};
      if (x >= 0 && x < width && y >= 0 && y < height)
        here = products_at(sum, difference, weight, (row + 1) * layout.warped + column + 1,
                           layout.warped);
      float* to = products + row * layout.pitch + column;
      // A thread adds to what it wrote for the channel before.
      const auto put = [&](int plane, float product) {
        float& total = to[plane * layout.products];
        total = channel == 0 ? product : total + product;
      };
      put(0, here.xx);
      put(1, here.xy);
      put(2, here.yy);
      put(3, here.xt);
      put(4, here.yt);
    }
    __syncthreads();
  }

  // Sums along rows, [sum][row][column of the tile].
  constexpr int kRun = kTuning.run;
  constexpr int kRuns = kTile / kRun;
  float* along = rest;
  for (int i = thread; i < kSums * layout.rows * kRuns; i += kThreads) {
    const int run = i % kRuns, row = i / kRuns % layout.rows, plane = i / kRuns / layout.rows;
    const float* from = products + plane * layout.products + row * layout.pitch + run * kRun;
    float total[kRun];
    if constexpr (kRadius > 0) {
      float values[(kRun + 2 * kRadius + 3) / 4 * 4];
#pragma unroll
      for (int k = 0; k < kRun + 2 * kRadius; k += 4)
        *reinterpret_cast<float4*>(values + k) = *reinterpret_cast<const float4*>(from + k);
#pragma unroll
      for (int k = 0; k <= 2 * kRadius; ++k) {
        const float tap = __ldg(job.taps + k);
#pragma unroll
        for (int n = 0; n < kRun; ++n)
          total[n] = k == 0 ? tap * values[n] : std::fma(tap, values[n + k], total[n]);
      }
    } else {
      for (int n = 0; n < kRun; ++n) total[n] = job.taps[0] * from[n];
      for (int k = 1; k <= 2 * radius; ++k)
        for (int n = 0; n < kRun; ++n) total[n] = std::fma(job.taps[k], from[n + k], total[n]);
    }
    *reinterpret_cast<float4*>(along + (plane * layout.rows + row) * kTile + run * kRun) =
        make_float4(total[0], total[1], total[2], total[3]);
  }
  __syncthreads();

  // Sums down the columns, and then takes the step.
  constexpr int kDown =
      kTile * kTile > kThreads ? kTile * kTile / kThreads : 1;  // pixels per thread
  if (thread >= kTile * kTile / kDown) return;
  const int column = thread % kTile, first = thread / kTile * kDown;
  const int x = x0 + column;
  float totals[kSums][kDown];
#pragma unroll
  for (int plane = 0; plane < kSums; ++plane) {
    const float* from = along + (plane * layout.rows + first) * kTile + column;
    if constexpr (kRadius > 0) {
#pragma unroll
      for (int k = 0; k < kDown + 2 * kRadius; ++k) {
        const float value = from[k * kTile];
#pragma unroll
        for (int n = 0; n < kDown; ++n) {
          if (k < n || k - n > 2 * kRadius) continue;
          const float tap = __ldg(job.taps + k - n);
          totals[plane][n] = k == n ? tap * value : std::fma(tap, value, totals[plane][n]);
        }
      }
    } else {
      for (int n = 0; n < kDown; ++n) {
        float total = job.taps[0] * from[n * kTile];
        for (int k = 1; k <= 2 * radius; ++k)
          total = std::fma(job.taps[k], from[(n + k) * kTile], total);
        totals[plane][n] = total;
      }
    }
  }
  if (x >= width) return;
#pragma unroll
  for (int n = 0; n < kDown; ++n) {
    const int y = y0 + first + n;
    if (y >= height) return;
    const lk::Products sums{totals[0][n], totals[1][n], totals[2][n], totals[3][n], totals[4][n]};
    const bool counts = job.first.mask.data == nullptr || job.first.mask.at(x, y) != 0;
    const lk::Step step = counts ? lk::solved(sums, job.solve) : lk::Step{};
    job.out.u.at(x, y) = job.in.u.at(x, y) + step.u;
    job.out.v.at(x, y) = job.in.v.at(x, y) + step.v;
    if (job.eigenvalues.data != nullptr)
      job.eigenvalues.at(x, y) = counts ? lk::smaller_eigenvalue(sums.xx, sums.xy, sums.yy) : 0.0F;
  }
}
static_assert(kTuning.run == 4, "runs are read and written as one vector");

template <int kRadius, int kTile, int kThreads>
void launch(const DeviceStep& request, cudaStream_t stream) {
  const auto blocks = [](int size) { return static_cast<unsigned>((size + kTile - 1) / kTile); };
  const auto bytes = static_cast<std::size_t>(Layout(kTile, request.radius).floats) * sizeof(float);
  const auto kernel = request.first.channels() == 1 ? step_kernel<1, kRadius, kTile, kThreads>
                                                    : step_kernel<3, kRadius, kTile, kThreads>;
  fovea::cuda::allow_shared(kernel, bytes, "a step of Lucas-Kanade");
  fovea::cuda::launch_after(
      kernel, {dim3(blocks(request.out.u.width), blocks(request.out.u.height)), kThreads, bytes},
      stream, "a step of Lucas-Kanade", request);
}
template <int kRadius>
void launch(const DeviceStep& request, cudaStream_t stream) {
  const std::int64_t pixels = static_cast<std::int64_t>(request.out.u.width) * request.out.u.height;
  if (pixels <= kTuning.few_tiles * kTuning.large * kTuning.large)
    launch<kRadius, kTuning.small, kTuning.small_threads>(request, stream);
  else launch<kRadius, kTuning.large, kTuning.large_threads>(request, stream);
}

}  // namespace

void step(const DeviceStep& request, cudaStream_t stream) {
  switch (request.radius) {
    case 3: return launch<3>(request, stream);
    case 4: return launch<4>(request, stream);
    case 5: return launch<5>(request, stream);
    case 7: return launch<7>(request, stream);
    default: return launch<0>(request, stream);
  }
}

}  // namespace fovea::flow::cuda
