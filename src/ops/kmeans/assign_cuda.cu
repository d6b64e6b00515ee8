#include "ops/kmeans/assign_cuda.cuh"

#include <type_traits>

namespace fovea::cuda {
namespace {

// For the fma chain: a block has 64 points and goes through the centers 64 at a time; a thread has
// 4 x 4.
struct ChainShape {
  static constexpr int kThreads = 256;
  static constexpr int kSide = 64;     // points per block, and centers at a time
  static constexpr int kEach = 4;      // points, and centers, per thread
  static constexpr int kAcross = 16;   // threads that share points
  static constexpr int kNumbers = 16;  // numbers that are loaded to shared memory at once
  static constexpr int kPitch = kSide + 4;
};

// kNumbers numbers of 64 rows, beginning at `first`, number by number; row(r) may be any row.
template <class Row>
__device__ void load_numbers(const Row& row, int first, int dimensions,
                             float (&to)[ChainShape::kNumbers][ChainShape::kPitch]) {
  using S = ChainShape;
  for (int k = static_cast<int>(threadIdx.x); k < S::kSide * S::kNumbers; k += S::kThreads) {
    const int r = k / S::kNumbers, i = k % S::kNumbers;
    to[i][r] = first + i < dimensions ? row(r)[first + i] : 0.0F;
  }
}

__global__ void __launch_bounds__(ChainShape::kThreads)
    chain_kernel(CentersView centers, PointRows points, std::int32_t* labels) {
  using S = ChainShape;
  __shared__ float point_numbers[S::kNumbers][S::kPitch], center_numbers[S::kNumbers][S::kPitch];
  const int first_point = static_cast<int>(blockIdx.x) * S::kSide;
  const int across = static_cast<int>(threadIdx.x) % S::kAcross;
  const int down = static_cast<int>(threadIdx.x) / S::kAcross;
  float best[S::kEach];
  int nearest[S::kEach] = {};
  for (float& score : best) score = nearest::kInfinity;
  for (int first = 0; first < centers.centers; first += S::kSide) {
    float scores[S::kEach][S::kEach];
    for (int b = 0; b < S::kEach; ++b) {
      const int center = first + across + b * S::kAcross;
      const float half = center < centers.centers ? centers.halves[center] : nearest::kInfinity;
      for (int a = 0; a < S::kEach; ++a) scores[a][b] = half;
    }
    for (int i = 0; i < centers.dimensions; i += S::kNumbers) {
      __syncthreads();
      load_numbers([&](int r) { return points.row(min(first_point + r, points.count - 1)); }, i,
                   centers.dimensions, point_numbers);
      load_numbers(
          [&](int r) {
            return centers.numbers +
                   static_cast<std::ptrdiff_t>(min(first + r, centers.centers - 1)) * centers.pitch;
          },
          i, centers.dimensions, center_numbers);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < S::kNumbers; ++k) {
        const float4 p = *reinterpret_cast<const float4*>(&point_numbers[k][down * S::kEach]);
        const float mine[S::kEach] = {p.x, p.y, p.z, p.w};
#pragma unroll
        for (int b = 0; b < S::kEach; ++b) {
          const float c = center_numbers[k][across + b * S::kAcross];
#pragma unroll
          for (int a = 0; a < S::kEach; ++a)
            scores[a][b] = detail::add_to_score(mine[a], c, scores[a][b]);
        }
      }
    }
    for (int a = 0; a < S::kEach; ++a)
      for (int b = 0; b < S::kEach; ++b)
        if (scores[a][b] < best[a]) {
          best[a] = scores[a][b];
          nearest[a] = first + across + b * S::kAcross;
        }
  }
  for (int a = 0; a < S::kEach; ++a) {
    for (int distance = 1; distance < S::kAcross; distance *= 2) {
      const float other = __shfl_xor_sync(~0U, best[a], distance);
      const int other_nearest = __shfl_xor_sync(~0U, nearest[a], distance);
      if (other < best[a] || (other == best[a] && other_nearest < nearest[a])) {
        best[a] = other;
        nearest[a] = other_nearest;
      }
    }
    const int row = first_point + down * S::kEach + a;
    if (across == 0 && row < points.count) labels[row] = nearest[a];
  }
}

constexpr int kTotalsThreads = 128;

// Distances and sums of points whose labels have been found.
__global__ void __launch_bounds__(kTotalsThreads)
    totals_kernel(CentersView centers, PointRows points, StepTotals totals) {
  __shared__ BlockTotals<kTotalsThreads / 32> block;
  block.clear();
  __syncthreads();
  const int first = static_cast<int>(blockIdx.x) * kTotalsThreads;
  const int base = first + static_cast<int>(threadIdx.x / 32 * 32);
  Labeled now{first + static_cast<int>(threadIdx.x), -1, 0};
  if (now.row < points.count) {
    now.label = totals.found[now.row];
    const float* point = points.row(now.row);
    const float* center = centers.numbers + static_cast<std::ptrdiff_t>(now.label) * centers.pitch;
    for (int i = 0; i < centers.dimensions; ++i)
      now.distance = detail::add_to_distance(point[i], center[i], now.distance);
  }
  take_points(
      totals, points, centers.dimensions, now,
      [&](int lane) { return points.row(min(base + lane, points.count - 1)); }, block);
  __syncthreads();
  if (threadIdx.x == 0) block.record_step(totals.record, 0);
}

void find_by_chain(const CentersView& centers, const PointRows& points, std::int32_t* labels,
                   cudaStream_t stream) {
  chain_kernel<<<blocks_for(points.count, ChainShape::kSide), ChainShape::kThreads, 0, stream>>>(
      centers, points, labels);
  check_launch("nearest centers");
}

// Calls `use` with the number of steps as a compile-time constant.
template <class Use>
void with_steps(int steps, const Use& use) {
  switch (steps) {
    case 1: return use(std::integral_constant<int, 1>());
    case 2: return use(std::integral_constant<int, 2>());
    case 3: return use(std::integral_constant<int, 3>());
    case 4: return use(std::integral_constant<int, 4>());
    case 5: return use(std::integral_constant<int, 5>());
    case 6: return use(std::integral_constant<int, 6>());
    case 7: return use(std::integral_constant<int, 7>());
    default: return use(std::integral_constant<int, 8>());
  }
}

}  // namespace

void find_points(const CentersView& centers, const PointRows& points, std::int32_t* labels,
                 cudaStream_t stream) {
  if (centers.groups == nullptr) return find_by_chain(centers, points, labels, stream);
  with_steps(centers.pitch / detail::nearest::kStep, [&](auto steps) {
    find_by<NearestShape<decltype(steps)::value>>(centers, points, labels, stream);
  });
}

void step_points(const CentersView& centers, const PointRows& points, const StepTotals& totals,
                 cudaStream_t stream) {
  if (centers.groups != nullptr) {
    with_steps(centers.pitch / detail::nearest::kStep, [&](auto steps) {
      step_by<NearestShape<decltype(steps)::value>>(centers, points, totals, stream);
    });
    return;
  }
  find_by_chain(centers, points, totals.found, stream);
  totals_kernel<<<blocks_for(points.count, kTotalsThreads), kTotalsThreads, 0, stream>>>(
      centers, points, totals);
  check_launch("kmeans");
}

}  // namespace fovea::cuda
