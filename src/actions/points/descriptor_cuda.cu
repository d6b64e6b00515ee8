// CUDA twin of the descriptors: one block per point, one warp per cell, one lane per column of its
// pixels. The sums of the lanes are added from left to right, as the CPU adds the lanes of its
// vectors.
#include "actions/points/points_cuda.cuh"
#include "actions/points/points_math.h"

namespace fovea::actions::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kThreads = kWarp * kCells;
constexpr unsigned kAll = 0xFFFFFFFFU;

// Times are relative to the frame of the point.
struct CellOfPoint {
  CellBox box;
  long long frame;
};

template <int kBins, class Vote>
__device__ void sum_votes(const CellOfPoint& cell, const DeviceRing& planes_x,
                          const DeviceRing& planes_y, const PlaneShape& shape, float* bins,
                          const Vote& vote) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const CellBox& box = cell.box;
  float total[kBins] = {};
  for (int x0 = box.x0; x0 <= box.x1; x0 += kWarp) {
    const int x = x0 + lane;
    float sums[kBins] = {};
    if (x <= box.x1) {
      for (int t = box.t0; t <= box.t1; ++t) {
        const std::ptrdiff_t plane = ring_slot(cell.frame + t, planes_x.length) * shape.size() + x;
        for (int y = box.y0; y <= box.y1; ++y) {
          const std::ptrdiff_t at = plane + static_cast<std::ptrdiff_t>(y) * shape.pitch;
          vote(planes_x.planes[at], planes_y.planes[at], sums);
        }
      }
    }
    const int columns = min(kWarp, box.x1 - x0 + 1);
    for (int i = 0; i < columns; ++i)
#pragma unroll
      for (int b = 0; b < kBins; ++b) total[b] += __shfl_sync(kAll, sums[b], i);
  }
  normalize_cell(total, kBins);
  if (lane == 0)
#pragma unroll
    for (int b = 0; b < kBins; ++b) bins[b] = total[b];
}

__global__ void __launch_bounds__(kThreads)
    describe_kernel(const ChannelTable* tables, const Site* sites, DescribeRules rules,
                    float* out) {
  const Site site = sites[blockIdx.x];
  const ChannelTable& table = tables[site.channel];
  const int cell = static_cast<int>(threadIdx.x) / kWarp;
  const int ct = cell % kCellsTime, cy = cell / kCellsTime % kCellsSpace,
            cx = cell / (kCellsTime * kCellsSpace);
  const PlaneShape& shape = table.shape;
  const long long to_last = rules.last - site.frame;
  CellOfPoint here{
      {max(site.x + table.spans.space[cx][0], 0),
       min(site.x + table.spans.space[cx][1], shape.width - 1),
       max(site.y + table.spans.space[cy][0], 0),
       min(site.y + table.spans.space[cy][1], shape.height - 1),
       static_cast<int>(max(static_cast<long long>(table.spans.time[ct][0]),
                            -static_cast<long long>(site.frame))),
       static_cast<int>(min(static_cast<long long>(table.spans.time[ct][1]), to_last))},
      site.frame};
  float* row = out + static_cast<std::ptrdiff_t>(blockIdx.x) * kDescriptorSize;
  sum_votes<kHogBins>(here, table.dx, table.dy, shape, row + cell * kHogBins,
                      [](float x, float y, float* sums) {
                        const int bin = gradient_bin(x, y);
                        const float length = vector_length(x, y);
#pragma unroll
                        for (int b = 0; b < kHogBins; ++b) sums[b] += b == bin ? length : 0.0F;
                      });
  // There is no flow to the first frame.
  here.box.t0 = static_cast<int>(
      max(static_cast<long long>(here.box.t0), 1 - static_cast<long long>(site.frame)));
  const float still2 = rules.still * rules.still;
  const bool by_length = rules.votes == FlowVotes::kMagnitude;
  const float still_vote = by_length ? rules.still : 1.0F;
  sum_votes<kHofBins>(here, table.u, table.v, shape, row + kHogSize + cell * kHofBins,
                      [=](float u, float v, float* sums) {
                        const int bin = flow_bin(u, v, still2);
                        const float vote =
                            bin == 0 ? still_vote : (by_length ? vector_length(u, v) : 1.0F);
#pragma unroll
                        for (int b = 0; b < kHofBins; ++b) sums[b] += b == bin ? vote : 0.0F;
                      });
}

}  // namespace

void describe_sites(const ChannelTable* tables, const Site* sites, int count,
                    const DescribeRules& rules, float* out, cudaStream_t stream) {
  describe_kernel<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(tables, sites, rules, out);
  fovea::cuda::check_launch("points: descriptors");
}

}  // namespace fovea::actions::cuda
