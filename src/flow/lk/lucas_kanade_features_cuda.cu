// The levels of a frame on CUDA: gray units, halved from level to level, and their rank transform.
#include "flow/lk/lucas_kanade_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::after_previous;
using fovea::cuda::grid_over;
using fovea::cuda::launch_after;
using fovea::cuda::thread_place;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
  int rank_rows = 4;              // pixels per thread that are ranked, one below the other
} kTuning;

constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

__global__ void quantize_kernel(DevicePlane<const float> gray, DevicePlane<const std::uint8_t> mask,
                                DeviceGray out) {
  after_previous();
  const auto [x, y] = thread_place();
  if (x >= out.width || y >= out.height) return;
  const bool counts = mask.data == nullptr || mask.at(x, y) != 0;
  out.at(x, y) = static_cast<std::uint16_t>(counts ? lk::quantized(gray.at(x, y)) : lk::kNoGray);
}

template <bool kMasked>
__global__ void halve_kernel(DeviceGray gray, DeviceGray out) {
  after_previous();
  constexpr int kTaps[5] = {1, 4, 6, 4, 1};
  const auto [x, y] = thread_place();
  if (x >= out.width || y >= out.height) return;
  int sum = 0, weights = 0;
#pragma unroll
  for (int j = 0; j < 5; ++j) {
    const std::uint16_t* row = gray.row(lk::mirrored(2 * y + j - 2, gray.height));
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      const int value = row[lk::mirrored(2 * x + i - 2, gray.width)];
      if (kMasked && value == lk::kNoGray) continue;
      sum += kTaps[i] * kTaps[j] * value;
      weights += kTaps[i] * kTaps[j];
    }
  }
  int mean = lk::halved(sum);
  if (kMasked) mean = weights == 0 ? lk::kNoGray : (sum + weights / 2) / weights;
  out.at(x, y) = static_cast<std::uint16_t>(mean);
}

struct FeatureJob {
  FeatureLevels levels;
  int first_block[FeatureLevels::kMost];
};

// A block serves a tile of one of the levels. A thread ranks some pixels one below the other, which
// share most of their neighbors.
template <bool kMasked, bool kRank>
__global__ void __launch_bounds__(kTuning.block_x* kTuning.block_y)
    features_kernel(const __grid_constant__ FeatureJob job) {
  constexpr int kRadius = kRank ? lk::kRankRadius : 0, kSide = 2 * kRadius + 1;
  constexpr int kDown = kTuning.rank_rows;
  constexpr int kHeight = kTuning.block_y * kDown;
  constexpr int kWidth = kTuning.block_x + 2 * kRadius;
  __shared__ std::int16_t tile[kHeight + 2 * kRadius][kWidth];
  after_previous();
  int level = 0;
  const int block = static_cast<int>(blockIdx.x);
  while (level + 1 < job.levels.count && block >= job.first_block[level + 1]) ++level;
  const DeviceGray gray = job.levels.gray[level];
  const DevicePlane<std::uint8_t> out = job.levels.out[level], mask = job.levels.mask[level];
  const int columns = (gray.width + kTuning.block_x - 1) / kTuning.block_x;
  const int index = block - job.first_block[level];
  const int x0 = index % columns * kTuning.block_x, y0 = index / columns * kHeight;
  const int lane = static_cast<int>(threadIdx.x), line = static_cast<int>(threadIdx.y);
  for (int j = line; j < kHeight + 2 * kRadius; j += kTuning.block_y) {
    const std::uint16_t* row = gray.row(lk::mirrored(y0 + j - kRadius, gray.height));
    for (int i = lane; i < kWidth; i += kTuning.block_x)
      tile[j][i] = static_cast<std::int16_t>(row[lk::mirrored(x0 + i - kRadius, gray.width)]);
  }
  __syncthreads();
  const int top = line * kDown;
  int center[kDown], votes[kDown], neighbors[kDown];
#pragma unroll
  for (int n = 0; n < kDown; ++n) {
    center[n] = tile[top + n + kRadius][lane + kRadius];
    votes[n] = 0;
    neighbors[n] = -1;  // the pixel itself is not counted
  }
  // Where the mask leaves out a whole tile, nothing is ranked.
  bool any = true;
  if constexpr (kMasked && kRank) {
    bool own = false;
#pragma unroll
    for (int n = 0; n < kDown; ++n) own = own || center[n] != lk::kNoGray;
    any = __syncthreads_or(own ? 1 : 0) != 0;
  }
  if (kRank && any) {
#pragma unroll
    for (int j = 0; j < kDown + 2 * kRadius; ++j)
#pragma unroll
      for (int i = 0; i < kSide; ++i) {
        const int neighbor = tile[top + j][lane + i];
        if (kMasked && neighbor == lk::kNoGray) continue;
#pragma unroll
        for (int n = 0; n < kDown; ++n) {
          if (j < n || j - n >= kSide) continue;
          votes[n] += lk::rank_vote(center[n], neighbor);
          if (kMasked) ++neighbors[n];
        }
      }
  }
  const int x = x0 + lane;
  if (x >= gray.width) return;
#pragma unroll
  for (int n = 0; n < kDown; ++n) {
    const int y = y0 + top + n;
    if (y >= gray.height) return;
    const bool counts = !kMasked || center[n] != lk::kNoGray;
    if (kMasked) {
      votes[n] = lk::whole_votes(votes[n], neighbors[n]);
      mask.at(x, y) = counts ? 1 : 0;
    }
    int feature = lk::least(lk::unranked(center[n]), 255);
    if (kRank) feature = counts ? lk::ranked(votes[n]) : 0;
    out.at(x, y) = static_cast<std::uint8_t>(feature);
  }
}

template <bool kMasked>
void launch_features(const FeatureJob& job, bool rank, int blocks, cudaStream_t stream) {
  launch_after(rank ? features_kernel<kMasked, true> : features_kernel<kMasked, false>,
               {dim3(static_cast<unsigned>(blocks)), kThreads}, stream, "ranks of a frame", job);
}

}  // namespace

void quantize(DevicePlane<const float> gray, DevicePlane<const std::uint8_t> mask, DeviceGray out,
              cudaStream_t stream) {
  launch_after(quantize_kernel, {grid_over(out.width, out.height, kThreads), kThreads}, stream,
               "gray levels of a frame", gray, mask, out);
}

void halve(DeviceGray gray, bool masked, DeviceGray out, cudaStream_t stream) {
  const dim3 grid = grid_over(out.width, out.height, kThreads);
  launch_after(masked ? halve_kernel<true> : halve_kernel<false>, {grid, kThreads}, stream,
               "levels of a frame", gray, out);
}

void find_features(const FeatureLevels& levels, bool rank, cudaStream_t stream) {
  FeatureJob job{levels, {}};
  int blocks = 0;
  for (int level = 0; level < levels.count; ++level) {
    job.first_block[level] = blocks;
    const auto over = [](int size, int step) { return (size + step - 1) / step; };
    blocks += over(levels.gray[level].width, kTuning.block_x) *
              over(levels.gray[level].height, kTuning.block_y * kTuning.rank_rows);
  }
  if (levels.mask[0].data != nullptr) launch_features<true>(job, rank, blocks, stream);
  else launch_features<false>(job, rank, blocks, stream);
}

}  // namespace fovea::flow::cuda
