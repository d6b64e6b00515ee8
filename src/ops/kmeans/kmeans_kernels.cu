#include "ops/kmeans/kmeans_kernels.cuh"

#include <algorithm>

namespace fovea::cuda {
namespace {

constexpr struct {
  int survey_rows = 8, survey_blocks = 1024;  // warps per block, blocks down
  int move_threads = 128;
  int plus_plus_threads = 256;
} kTuning;

__global__ void survey_kernel(PointRows points, int dimensions, float* largest,
                              unsigned* offending) {
  const int i = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  if (i >= dimensions) return;
  float most = 0;
  unsigned first = ~0U;
  const auto step = static_cast<std::int64_t>(gridDim.y) * blockDim.y;
  for (std::int64_t p = static_cast<std::int64_t>(blockIdx.y) * blockDim.y + threadIdx.y;
       p < points.count; p += step) {
    const float size = fabsf(points.data[p * points.stride + i]);
    if (!(size <= detail::KmeansLimits::kLargest)) first = min(first, static_cast<unsigned>(p));
    most = fmaxf(most, size);
  }
  atomicMax(reinterpret_cast<unsigned*>(largest) + i, __float_as_uint(most));
  if (first != ~0U) atomicMin(offending, first);
}

__global__ void place_kernel(PointRows points, CentersMemory centers) {
  const int c = static_cast<int>(blockIdx.x);
  const bool is_there = c < centers.centers;
  const float* row = is_there ? points.row(c) : nullptr;
  for (int i = static_cast<int>(threadIdx.x); i < centers.pitch; i += static_cast<int>(blockDim.x))
    centers.numbers[static_cast<std::ptrdiff_t>(c) * centers.pitch + i] =
        is_there && i < centers.dimensions ? row[i] : 0.0F;
}

__global__ void move_kernel(Move m) {
  using detail::nearest::kGroup;
  const int group = static_cast<int>(blockIdx.x), first = group * kGroup, pitch = m.to.pitch;
  const int dimensions = m.to.dimensions, present = min(kGroup, m.to.centers - first);
  const std::ptrdiff_t base = static_cast<std::ptrdiff_t>(first) * pitch;
  for (int k = static_cast<int>(threadIdx.x); k < kGroup * pitch;
       k += static_cast<int>(blockDim.x)) {
    const int c = first + k / pitch, i = k % pitch;
    float number = 0;
    if (k / pitch < present && i < dimensions) {
      const auto count = static_cast<std::int64_t>(m.counts[c]);
      const auto sum =
          static_cast<std::int64_t>(m.sums[static_cast<std::ptrdiff_t>(c) * dimensions + i]);
      number =
          m.move && count > 0 ? detail::mean_of(sum, count, m.scales[i]) : m.from.numbers[base + k];
    }
    m.to.numbers[base + k] = number;
  }
  __syncthreads();
  prepare_group(m.to, group);
  const int at = static_cast<int>(threadIdx.x) - 32;  // another warp than that of prepare_group()
  if (at < 0 || at >= present) return;
  const std::ptrdiff_t row = base + static_cast<std::ptrdiff_t>(at) * pitch;
  const double shift = detail::squared_move(m.from.numbers + row, m.to.numbers + row, dimensions);
  if (shift > 0)  // the bits of numbers that are not negative have their order
    atomicMax(&m.record->squared_shift,
              static_cast<unsigned long long>(__double_as_longlong(shift)));
  if (m.counts[first + at] == 0) atomicAdd(&m.record->empty, 1U);
}

__global__ void scatter_kernel(PointRows points, std::int32_t* labels, const std::int32_t* fresh) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < points.count) labels[points.chosen[i]] = fresh[i];
}

__global__ void transfer_kernel(PointRows points, int dimensions, Transfers transfers,
                                StepTotals totals) {
  const detail::KmeansTransfer t = transfers.list[blockIdx.x];
  const float* row = points.row(t.point);
  for (int i = static_cast<int>(threadIdx.x); i < dimensions; i += static_cast<int>(blockDim.x)) {
    const std::int64_t number = detail::whole(row[i], totals.scales[i]);
    atomicAdd(totals.sums + static_cast<std::ptrdiff_t>(t.to) * dimensions + i,
              static_cast<unsigned long long>(number));
    atomicAdd(totals.sums + static_cast<std::ptrdiff_t>(t.from) * dimensions + i,
              static_cast<unsigned long long>(-number));
  }
  if (threadIdx.x != 0) return;
  totals.labels[t.point] = t.to;
  atomicAdd(totals.counts + t.to, 1ULL);
  atomicAdd(totals.counts + t.from, ~0ULL);
}

using Sum = unsigned long long;

// The sum of the values of this thread and those before it in the block; `shared` has 32 values.
__device__ Sum block_scan(Sum value, Sum* shared) {
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  for (int distance = 1; distance < 32; distance *= 2) {
    const Sum before = __shfl_up_sync(~0U, value, distance);
    if (lane >= distance) value += before;
  }
  __syncthreads();
  if (lane == 31) shared[warp] = value;
  __syncthreads();
  for (int w = 0; w < warp; ++w) value += shared[w];
  return value;
}

struct DrawState {
  float* least;
  Sum* block_sums;
  unsigned* done;
  Random* random;
};

// Called by the last block: the first point at which the sum of distances exceeds a random number.
__device__ int draw_point(const PlusPlus::Job& job, const DrawState& state, int blocks,
                          Sum* shared) {
  __shared__ Sum drawn;
  __shared__ int found;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int each = (blocks + threads - 1) / threads;
  const int first = min(blocks, thread * each), last = min(blocks, first + each);
  Sum mine = 0;
  for (int b = first; b < last; ++b) mine += __ldcg(state.block_sums + b);
  const Sum until = block_scan(mine, shared);
  if (thread == threads - 1) {
    Random random = *state.random;
    found = -1;
    if (until > 0) drawn = detail::draw_below(random, until);
    else found = static_cast<int>(detail::draw_below(random, static_cast<Sum>(job.points.count)));
    *state.random = random;
  }
  __syncthreads();
  if (found >= 0) return found;
  __syncthreads();  // before `found` is used for the block
  const Sum target = drawn;
  __syncthreads();
  if (target >= until - mine && target < until) {
    Sum left = target - (until - mine);
    int b = first;
    for (; left >= __ldcg(state.block_sums + b); ++b) left -= __ldcg(state.block_sums + b);
    found = b;
    drawn = left;
  }
  __syncthreads();
  const int block = found;
  const Sum left = drawn;
  __syncthreads();
  const std::int64_t point = static_cast<std::int64_t>(block) * threads + thread;
  const Sum own =
      point < job.points.count
          ? static_cast<Sum>(detail::whole(__ldcg(state.least + point), job.distance_scale))
          : 0;
  const Sum through = block_scan(own, shared);
  if (left >= through - own && left < through) found = static_cast<int>(point);
  __syncthreads();
  return found;
}

// Updates every point's distance with center `number`, then draws the next center.
__global__ void plus_plus_kernel(PlusPlus::Job job, DrawState state, int number) {
  __shared__ Sum shared[32];
  __shared__ bool last;
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Sum own = 0;
  if (p < job.points.count) {
    const float* center = job.points.data + job.chosen[number] * job.points.stride;
    const float* point = job.points.data + p * job.points.stride;
    float distance = 0;
    for (int i = 0; i < job.dimensions; ++i)
      distance = detail::add_to_distance(point[i], center[i], distance);
    if (number > 0) distance = fminf(state.least[p], distance);
    state.least[p] = distance;
    own = static_cast<Sum>(detail::whole(distance, job.distance_scale));
  }
  const Sum until = block_scan(own, shared);
  if (threadIdx.x == blockDim.x - 1) state.block_sums[blockIdx.x] = until;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(state.done, 1U) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  const int drawn = draw_point(job, state, static_cast<int>(gridDim.x), shared);
  if (threadIdx.x != 0) return;
  job.chosen[number + 1] = drawn;
  *state.done = 0;
}

}  // namespace

void survey_points(const PointRows& points, int dimensions, float* largest, unsigned* offending,
                   cudaStream_t stream) {
  const dim3 threads(32, kTuning.survey_rows);
  const unsigned down = std::min(blocks_for(points.count, kTuning.survey_rows),
                                 static_cast<unsigned>(kTuning.survey_blocks));
  survey_kernel<<<dim3(blocks_for(dimensions, 32), down), threads, 0, stream>>>(points, dimensions,
                                                                                largest, offending);
  check_launch("kmeans");
}

void place_centers(const PointRows& points, const CentersMemory& centers, cudaStream_t stream) {
  const int rows = detail::nearest::groups_of(centers.centers) * detail::nearest::kGroup;
  place_kernel<<<static_cast<unsigned>(rows), kTuning.move_threads, 0, stream>>>(points, centers);
  check_launch("kmeans");
  prepare_centers(centers, stream);
}

void move_centers(const Move& move, cudaStream_t stream) {
  move_kernel<<<static_cast<unsigned>(detail::nearest::groups_of(move.to.centers)),
                kTuning.move_threads, 0, stream>>>(move);
  check_launch("kmeans");
}

void scatter_labels(const PointRows& points, const StepTotals& totals, cudaStream_t stream) {
  scatter_kernel<<<blocks_for(points.count, kTuning.move_threads), kTuning.move_threads, 0,
                   stream>>>(points, totals.labels, totals.fresh);
  check_launch("kmeans");
}

void transfer_points(const PointRows& points, int dimensions, const Transfers& transfers,
                     const StepTotals& totals, cudaStream_t stream) {
  transfer_kernel<<<static_cast<unsigned>(transfers.count), kTuning.move_threads, 0, stream>>>(
      points, dimensions, transfers, totals);
  check_launch("kmeans");
}

PlusPlus::PlusPlus(int points)
    : least_(static_cast<std::size_t>(points), Memory::kCuda),
      block_sums_(blocks_for(points, kTuning.plus_plus_threads), Memory::kCuda),
      done_(1, Memory::kCuda),
      random_(1, Memory::kCuda) {}

void PlusPlus::run(const Job& job, const Random& random, cudaStream_t stream) {
  upload(random_.data(), &random, sizeof(random), stream);
  check(cudaMemsetAsync(done_.data(), 0, sizeof(unsigned), stream), "kmeans");
  const DrawState state{least_.data(), block_sums_.data(), done_.data(), random_.data()};
  for (int number = 0; number + 1 < job.clusters; ++number)
    plus_plus_kernel<<<blocks_for(job.points.count, kTuning.plus_plus_threads),
                       kTuning.plus_plus_threads, 0, stream>>>(job, state, number);
  check_launch("kmeans");
}

}  // namespace fovea::cuda
