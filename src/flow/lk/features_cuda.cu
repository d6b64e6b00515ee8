// A frame's levels on CUDA: grey units, halved from level to level, and their rank transform.
#include "flow/lk/kernels_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check_launch;

constexpr struct {
  int block_x = 32, block_y = 8;  // a warp a row
} kTuning;

dim3 grid_over(int width, int height) {
  const auto blocks = [](int size, int step) {
    return static_cast<unsigned>((size + step - 1) / step);
  };
  return {blocks(width, kTuning.block_x), blocks(height, kTuning.block_y)};
}
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

__global__ void quantise_kernel(DevicePlane<const float> grey, DevicePlane<const std::uint8_t> mask,
                                DeviceGrey out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  const bool counts = mask.data == nullptr || mask.at(x, y) != 0;
  out.at(x, y) = static_cast<std::uint16_t>(counts ? lk::quantised(grey.at(x, y)) : lk::kNoGrey);
}

template <bool kMasked>
__global__ void halve_kernel(DeviceGrey grey, DeviceGrey out) {
  constexpr int kTaps[5] = {1, 4, 6, 4, 1};
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out.width || y >= out.height) return;
  int sum = 0, weights = 0;
#pragma unroll
  for (int j = 0; j < 5; ++j) {
    const std::uint16_t* row = grey.row(lk::mirrored(2 * y + j - 2, grey.height));
#pragma unroll
    for (int i = 0; i < 5; ++i) {
      const int value = row[lk::mirrored(2 * x + i - 2, grey.width)];
      if (kMasked && value == lk::kNoGrey) continue;
      sum += kTaps[i] * kTaps[j] * value;
      weights += kTaps[i] * kTaps[j];
    }
  }
  int mean = lk::halved(sum);
  if (kMasked) mean = weights == 0 ? lk::kNoGrey : (sum + weights / 2) / weights;
  out.at(x, y) = static_cast<std::uint16_t>(mean);
}

template <bool kMasked>
__device__ int votes_at(const DeviceGrey& grey, int x, int y) {
  const int centre = grey.at(x, y);
  int votes = 0;
#pragma unroll
  for (int j = -lk::kRankRadius; j <= lk::kRankRadius; ++j) {
    const std::uint16_t* row = grey.row(lk::mirrored(y + j, grey.height));
#pragma unroll
    for (int i = -lk::kRankRadius; i <= lk::kRankRadius; ++i) {
      const int neighbour = row[lk::mirrored(x + i, grey.width)];
      if (!kMasked || neighbour != lk::kNoGrey) votes += lk::rank_vote(centre, neighbour);
    }
  }
  return votes;
}

struct FeatureJob {
  FeatureLevels levels;
  int first_block[FeatureLevels::kMost];
};

template <bool kMasked>
__global__ void features_kernel(const __grid_constant__ FeatureJob job, bool rank) {
  int level = 0;
  const int block = static_cast<int>(blockIdx.x);
  while (level + 1 < job.levels.count && block >= job.first_block[level + 1]) ++level;
  const DeviceGrey grey = job.levels.grey[level];
  const DeviceFrameLevel out = job.levels.out[level];
  const int columns = (grey.width + kTuning.block_x - 1) / kTuning.block_x;
  const int tile = block - job.first_block[level];
  const int x = tile % columns * kTuning.block_x + static_cast<int>(threadIdx.x);
  const int y = tile / columns * kTuning.block_y + static_cast<int>(threadIdx.y);
  if (x >= grey.width || y >= grey.height) return;
  const int centre = grey.at(x, y);
  int feature = 0;
  if (rank) feature = lk::ranked(votes_at<kMasked>(grey, x, y));
  else feature = lk::least(lk::unranked(centre), 255);
  if (kMasked) {
    const bool counts = centre != lk::kNoGrey;
    out.mask.at(x, y) = counts ? 1 : 0;
    if (!counts) feature = 0;
  }
  out.features.at(x, y) = static_cast<std::uint8_t>(feature);
}

}  // namespace

void quantise(DevicePlane<const float> grey, DevicePlane<const std::uint8_t> mask, DeviceGrey out,
              cudaStream_t stream) {
  quantise_kernel<<<grid_over(out.width, out.height), kThreads, 0, stream>>>(grey, mask, out);
  check_launch("grey levels of a frame");
}

void halve(DeviceGrey grey, bool masked, DeviceGrey out, cudaStream_t stream) {
  const dim3 grid = grid_over(out.width, out.height);
  if (masked) halve_kernel<true><<<grid, kThreads, 0, stream>>>(grey, out);
  else halve_kernel<false><<<grid, kThreads, 0, stream>>>(grey, out);
  check_launch("levels of a frame");
}

void find_features(const FeatureLevels& levels, bool rank, cudaStream_t stream) {
  FeatureJob job{levels, {}};
  int blocks = 0;
  for (int level = 0; level < levels.count; ++level) {
    job.first_block[level] = blocks;
    const dim3 grid = grid_over(levels.grey[level].width, levels.grey[level].height);
    blocks += static_cast<int>(grid.x * grid.y);
  }
  const auto grid = static_cast<unsigned>(blocks);
  if (levels.out[0].mask.data != nullptr)
    features_kernel<true><<<grid, kThreads, 0, stream>>>(job, rank);
  else features_kernel<false><<<grid, kThreads, 0, stream>>>(job, rank);
  check_launch("ranks of a frame");
}

}  // namespace fovea::flow::cuda
