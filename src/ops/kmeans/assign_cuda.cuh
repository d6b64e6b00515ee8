// Finds the labels of many points in device memory, and computes the sums of k-means with them:
// tiles of points go through nearest_in_block(), and while they are in shared memory, their
// distances and sums are computed as well. With more than 128 numbers per point, scores are
// computed by the fma chain itself.
#pragma once
#include <cstdint>

#include "core/on_device.cuh"
#include "ops/kmeans/nearest_cuda.cuh"

namespace fovea::cuda {

// Points in device memory: all of them, or those with the given indices.
struct PointRows {
  const float* data = nullptr;
  std::ptrdiff_t stride = 0;
  int count = 0;
  const std::int32_t* chosen = nullptr;

  __device__ int index(int p) const { return chosen == nullptr ? p : chosen[p]; }
  __device__ const float* row(int p) const { return data + index(p) * stride; }
};

// What one step finds and does, in device memory; it begins as zeros.
struct StepRecord {
  unsigned long long inertia;
  unsigned long long changed;
  unsigned long long squared_shift;  // the bits of a double
  unsigned empty;
  unsigned doubtful;                     // points that the tensor cores could not decide
  detail::nearest::CenterBounds bounds;  // of the centers after the step
};

// What a step reads and adds to, in device memory.
struct StepTotals {
  std::int32_t* labels = nullptr;  // label of every point before the step
  std::int32_t* fresh = nullptr;   // label of every row after the step, where labels stay as they
                                   // are; null: labels change
  std::int32_t* found = nullptr;   // memory for one label per row, needed for more than 128 numbers
  float* distances = nullptr;      // distance of every point; null where it is not wanted
  unsigned long long* sums = nullptr;  // clusters x dimensions, int64
  unsigned long long* counts = nullptr;
  const double* scales = nullptr;
  double distance_scale = 1;
  StepRecord* record = nullptr;
  bool anew = false;  // add every row to sums and counts, and subtract none
};

// whole() of a number below 2^51: adding 1.5 * 2^52 leaves the integer in the lower bits.
__device__ inline long long whole_quickly(float value, double scale) {
  constexpr double kMagic = 0x1.8p52;
  return __double_as_longlong(__dadd_rn(__dmul_rn(static_cast<double>(value), scale), kMagic)) -
         __double_as_longlong(kMagic);
}

// 32 points of a warp, one per lane, with their clusters. `mask` says which of them are added to
// the sums and counts of their clusters, or subtracted with sign -1. row(p) has the numbers of lane
// p's point.
template <class Row>
__device__ void add_points(const StepTotals& totals, int dimensions, const Row& row, int cluster,
                           unsigned mask, int sign) {
  if (mask == 0) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned alike = __match_any_sync(~0U, cluster) & mask;
  const bool leads = (mask >> lane & 1U) != 0 && __ffs(static_cast<int>(alike)) - 1 == lane;
  const unsigned leaders = __ballot_sync(~0U, leads);
  if (leads)
    atomicAdd(totals.counts + cluster,
              static_cast<unsigned long long>(static_cast<long long>(sign * __popc(alike))));
  const bool crowded = 2 * __popc(leaders) <= __popc(mask);  // few clusters: summed here first
  for (int first = 0; first < dimensions; first += 32) {
    const int i = first + lane;
    const bool in = i < dimensions;
    const double scale = in ? sign * totals.scales[i] : 0;
    if (crowded) {
      for (unsigned left = leaders; left != 0; left &= left - 1) {
        const int leader = __ffs(static_cast<int>(left)) - 1;
        const int to = __shfl_sync(~0U, cluster, leader);
        long long sum = 0;
        for (unsigned members = __shfl_sync(~0U, alike, leader); members != 0;
             members &= members - 1)
          if (in) sum += whole_quickly(row(__ffs(static_cast<int>(members)) - 1)[i], scale);
        if (in)
          atomicAdd(totals.sums + static_cast<std::ptrdiff_t>(to) * dimensions + i,
                    static_cast<unsigned long long>(sum));
      }
      continue;
    }
#pragma unroll 8
    for (int p = 0; p < 32; ++p) {
      const int to = __shfl_sync(~0U, cluster, p);
      if (in && (mask >> p & 1U) != 0)
        atomicAdd(totals.sums + static_cast<std::ptrdiff_t>(to) * dimensions + i,
                  static_cast<unsigned long long>(whole_quickly(row(p)[i], scale)));
    }
  }
}

// What a block adds up before it updates the record.
template <int kWarps>
struct BlockTotals {
  unsigned long long inertia[kWarps];
  unsigned changed[kWarps];

  __device__ void clear() {
    if (threadIdx.x < kWarps) inertia[threadIdx.x] = changed[threadIdx.x] = 0;
  }
  // Called by one warp, for its points.
  __device__ void add(long long distance, bool has_changed) {
    for (int step = 16; step > 0; step /= 2) distance += __shfl_xor_sync(~0U, distance, step);
    const unsigned count = static_cast<unsigned>(__popc(__ballot_sync(~0U, has_changed)));
    if (threadIdx.x % 32 != 0) return;
    inertia[threadIdx.x / 32] += static_cast<unsigned long long>(distance);
    changed[threadIdx.x / 32] += count;
  }
  // Called by one thread after a barrier.
  __device__ void record_step(StepRecord* record, int doubtful) const {
    unsigned long long all_inertia = 0;
    unsigned all_changed = 0;
    for (int w = 0; w < kWarps; ++w) {
      all_inertia += inertia[w];
      all_changed += changed[w];
    }
    atomicAdd(&record->inertia, all_inertia);
    if (all_changed != 0) atomicAdd(&record->changed, all_changed);
    if (doubtful != 0) atomicAdd(&record->doubtful, static_cast<unsigned>(doubtful));
  }
};

// One point per lane: its label now, and its squared distance from that center.
struct Labeled {
  int row;  // row in PointRows; nothing is done beyond the last
  std::int32_t label;
  float distance;
};
template <class Row, class Block>
__device__ void take_points(const StepTotals& totals, const PointRows& points, int dimensions,
                            const Labeled& now, const Row& row, Block& block) {
  const bool valid = now.row < points.count;
  const int point = valid ? points.index(now.row) : 0;
  const std::int32_t before = valid ? totals.labels[point] : -1;
  const bool changed = valid && before != now.label;
  block.add(valid ? whole_quickly(now.distance, totals.distance_scale) : 0, changed);
  if (valid && totals.fresh != nullptr) totals.fresh[now.row] = now.label;
  else if (changed) totals.labels[point] = now.label;
  if (valid && totals.distances != nullptr) totals.distances[point] = now.distance;
  add_points(totals, dimensions, row, now.label, __ballot_sync(~0U, totals.anew ? valid : changed),
             1);
  if (totals.anew) return;
  add_points(totals, dimensions, row, before, __ballot_sync(~0U, changed && before >= 0), -1);
}

// Fills a tile with the points that begin at `first`; all loads overlap.
template <class Shape, int kNumbers>
__device__ void load_tile_by(const PointRows& points, int dimensions, int first,
                             NearestScratch<Shape>& scratch) {
  constexpr int kEach = Shape::kPoints * Shape::kDimensions / kNumbers / Shape::kThreads;
  const int count = min(Shape::kPoints, points.count - first);
#pragma unroll 8
  for (int k = 0; k < kEach; ++k) {
    const int at = (k * Shape::kThreads + static_cast<int>(threadIdx.x)) * kNumbers;
    const int p = at / Shape::kDimensions, i = at % Shape::kDimensions;
    float* to = &scratch.points[p][i];
    if (p < count && i < dimensions)
      nearest::copy_ahead<kNumbers * sizeof(float)>(to, points.row(first + p) + i);
    else
      for (int j = 0; j < kNumbers; ++j) to[j] = 0;
  }
}
template <class Shape>
__device__ void load_tile(const PointRows& points, int dimensions, int first,
                          NearestScratch<Shape>& scratch) {
  const bool by_four = dimensions % 4 == 0 && points.stride % 4 == 0 &&
                       reinterpret_cast<std::uintptr_t>(points.data) % 16 == 0;
  if (by_four) load_tile_by<Shape, 4>(points, dimensions, first, scratch);
  else load_tile_by<Shape, 1>(points, dimensions, first, scratch);
  nearest::await_copies();
}

// Two blocks fit on a multiprocessor: three would spill registers, and with more than 32 numbers
// shared memory would not suffice either.
constexpr int kTileBlocks = 2;

template <class Shape>
__device__ NearestScratch<Shape>& tile_scratch() {
  extern __shared__ __align__(16) unsigned char tile_bytes[];
  return *reinterpret_cast<NearestScratch<Shape>*>(tile_bytes);
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, kTileBlocks)
    find_kernel(CentersView centers, PointRows points, std::int32_t* labels) {
  NearestScratch<Shape>& scratch = tile_scratch<Shape>();
  const int first = static_cast<int>(blockIdx.x) * Shape::kPoints;
  load_tile(points, centers.dimensions, first, scratch);
  __syncthreads();
  const int count = min(Shape::kPoints, points.count - first);
  nearest_in_block(centers, count, scratch);
  for (int p = static_cast<int>(threadIdx.x); p < count; p += Shape::kThreads)
    labels[first + p] = scratch.labels[p];
}

// The numbers of a tile's point minus those of a center; zeros after the last number change
// nothing.
template <class Shape>
__device__ float tile_distance(const float* point, const float* center) {
  float distance = 0;
#pragma unroll
  for (int i = 0; i < Shape::kDimensions; i += 4) {
    const float4 p = *reinterpret_cast<const float4*>(point + i);
    const float4 c = *reinterpret_cast<const float4*>(center + i);
    distance = detail::add_to_distance(p.x, c.x, distance);
    distance = detail::add_to_distance(p.y, c.y, distance);
    distance = detail::add_to_distance(p.z, c.z, distance);
    distance = detail::add_to_distance(p.w, c.w, distance);
  }
  return distance;
}

template <class Shape>
__global__ void __launch_bounds__(Shape::kThreads, kTileBlocks)
    step_kernel(CentersView centers, PointRows points, StepTotals totals) {
  __shared__ BlockTotals<Shape::kWarps> block;
  NearestScratch<Shape>& scratch = tile_scratch<Shape>();
  const int first = static_cast<int>(blockIdx.x) * Shape::kPoints;
  block.clear();
  load_tile(points, centers.dimensions, first, scratch);
  __syncthreads();
  const int doubtful =
      nearest_in_block(centers, min(Shape::kPoints, points.count - first), scratch);
  for (int base = static_cast<int>(threadIdx.x / 32 * 32); base < Shape::kPoints;
       base += Shape::kThreads) {
    const int p = base + static_cast<int>(threadIdx.x % 32);
    Labeled now{first + p, -1, 0};
    if (now.row < points.count) {
      now.label = scratch.labels[p];
      now.distance = tile_distance<Shape>(
          scratch.points[p],
          centers.numbers + static_cast<std::ptrdiff_t>(now.label) * centers.pitch);
    }
    take_points(
        totals, points, centers.dimensions, now,
        [&](int lane) { return scratch.points[base + lane]; }, block);
  }
  __syncthreads();
  if (threadIdx.x == 0) block.record_step(totals.record, doubtful);
}

// Uses tiles of one shape; centers have its number of steps.
template <class Shape>
void find_by(const CentersView& centers, const PointRows& points, std::int32_t* labels,
             cudaStream_t stream) {
  allow_shared(find_kernel<Shape>, sizeof(NearestScratch<Shape>), "nearest centers");
  find_kernel<Shape><<<blocks_for(points.count, Shape::kPoints), Shape::kThreads,
                       sizeof(NearestScratch<Shape>), stream>>>(centers, points, labels);
  check_launch("nearest centers");
}
template <class Shape>
void step_by(const CentersView& centers, const PointRows& points, const StepTotals& totals,
             cudaStream_t stream) {
  allow_shared(step_kernel<Shape>, sizeof(NearestScratch<Shape>), "kmeans");
  step_kernel<Shape><<<blocks_for(points.count, Shape::kPoints), Shape::kThreads,
                       sizeof(NearestScratch<Shape>), stream>>>(centers, points, totals);
  check_launch("kmeans");
}

// Uses the shape that suits; points.count > 0.
void find_points(const CentersView& centers, const PointRows& points, std::int32_t* labels,
                 cudaStream_t stream);
void step_points(const CentersView& centers, const PointRows& points, const StepTotals& totals,
                 cudaStream_t stream);

}  // namespace fovea::cuda
