// One round of propagation on CUDA: nine flows are tried at each pixel of a tile, one after the
// other; the differences of the tile and its margins are summed in shared memory, along rows and
// then down columns. Whole numbers: the order of sums does not matter.
#include "flow/lk/kernels_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check_launch;

constexpr struct {
  int tile = 32;      // pixels, both ways; a warp a row
  int threads = 256;  // of a block
} kTuning;
constexpr int kSide = 2 * lk::kTrialRadius + 1;
constexpr int kRegion = kTuning.tile + 2 * lk::kTrialRadius;
constexpr int kRun = kTuning.tile * kTuning.tile / kTuning.threads;  // pixels of a column a thread

struct TrialPlace {
  int index, fraction;
  bool inside;
};
__device__ TrialPlace trial_place(int x, float flow, int size) {
  const int position = lk::trial_position(flow);
  const int i = x + (position >> 4);
  const int index = lk::clamped(i, size);
  const bool inside = i == index;
  return {index, inside && i < size - 1 ? position & (lk::kTrialUnits - 1) : 0, inside};
}
static_assert(lk::kTrialUnits == 16, "the shift above");

// Of pixel (x, y) under a flow.
__device__ int difference_at(const DevicePropagation& job, int x, int y, float u, float v) {
  const DevicePlane<std::uint8_t>& second = job.second.features;
  const TrialPlace across = trial_place(x, u, second.width);
  const TrialPlace down = trial_place(y, v, second.height);
  const std::uint8_t* above = second.row(down.index);
  const std::uint8_t* below = second.row(lk::least(down.index + 1, second.height - 1));
  const int next = lk::least(across.index + 1, second.width - 1);
  const int difference =
      lk::trial_difference(job.first.features.at(x, y), above[across.index], above[next],
                           below[across.index], below[next], across.fraction, down.fraction);
  return across.inside && down.inside ? difference : lk::most(difference, lk::kTrialMost);
}

// Whose flow is tried: the pixel's own first.
struct Trials {
  lk::Offset offset[lk::kTrials + 1];
  int count;
};

__global__ void __launch_bounds__(kTuning.threads)
    propagate_kernel(DevicePropagation job, const __grid_constant__ Trials trials) {
  __shared__ std::uint16_t differences[kRegion][kRegion];
  __shared__ std::uint16_t along[kRegion][kTuning.tile];
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.tile;
  const int y0 = static_cast<int>(blockIdx.y) * kTuning.tile;
  const int width = job.in.u.width, height = job.in.u.height;
  const int thread = static_cast<int>(threadIdx.x);
  const int column = thread % kTuning.tile, first = thread / kTuning.tile * kRun;
  int least[kRun], best[kRun];
  for (int k = 0; k < trials.count; ++k) {
    const int dx = trials.offset[k].x, dy = trials.offset[k].y;
    for (int i = thread; i < kRegion * kRegion; i += kTuning.threads) {
      const int x = x0 - lk::kTrialRadius + i % kRegion, y = y0 - lk::kTrialRadius + i / kRegion;
      int difference = 0;
      const bool there = x >= 0 && x < width && y >= 0 && y < height;
      if (there && (job.first.mask.data == nullptr || job.first.mask.at(x, y) != 0)) {
        const int fx = lk::clamped(x + dx, width), fy = lk::clamped(y + dy, height);
        difference = difference_at(job, x, y, job.in.u.at(fx, fy), job.in.v.at(fx, fy));
      }
      differences[i / kRegion][i % kRegion] = static_cast<std::uint16_t>(difference);
    }
    __syncthreads();
    for (int i = thread; i < kRegion * kTuning.tile; i += kTuning.threads) {
      int sum = 0;
#pragma unroll
      for (int n = 0; n < kSide; ++n) sum += differences[i / kTuning.tile][i % kTuning.tile + n];
      along[i / kTuning.tile][i % kTuning.tile] = static_cast<std::uint16_t>(sum);
    }
    __syncthreads();
    int sum = 0;
#pragma unroll
    for (int n = 0; n < kSide - 1; ++n) sum += along[first + n][column];
#pragma unroll
    for (int n = 0; n < kRun; ++n) {
      sum += along[first + n + kSide - 1][column];
      if (k == 0 || sum < least[n]) {
        least[n] = sum;
        best[n] = k;
      }
      sum -= along[first + n][column];
    }
    // The next trial writes differences[], which nobody reads any more, and syncs before along[].
  }
  const int x = x0 + column;
  if (x >= width) return;
#pragma unroll
  for (int n = 0; n < kRun; ++n) {
    const int y = y0 + first + n;
    if (y >= height) return;
    const bool counts = job.first.mask.data == nullptr || job.first.mask.at(x, y) != 0;
    const lk::Offset offset = trials.offset[counts ? best[n] : 0];
    const int fx = lk::clamped(x + offset.x, width), fy = lk::clamped(y + offset.y, height);
    job.out.u.at(x, y) = job.in.u.at(fx, fy);
    job.out.v.at(x, y) = job.in.v.at(fx, fy);
  }
}

}  // namespace

void propagate(const DevicePropagation& request, cudaStream_t stream) {
  const auto blocks = [](int size) {
    return static_cast<unsigned>((size + kTuning.tile - 1) / kTuning.tile);
  };
  Trials trials{{}, 1};
  for (int k = request.first_trial; k < request.last_trial; ++k)
    trials.offset[trials.count++] = {lk::kTrialOffsets[k].x * request.distance,
                                     lk::kTrialOffsets[k].y * request.distance};
  propagate_kernel<<<dim3(blocks(request.out.u.width), blocks(request.out.u.height)),
                     kTuning.threads, 0, stream>>>(request, trials);
  check_launch("propagation of a flow");
}

}  // namespace fovea::flow::cuda
