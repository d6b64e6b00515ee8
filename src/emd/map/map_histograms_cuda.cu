// Kernels of the map over histograms in memory, and those between look-up and result: bounds,
// storing, filling in.
#include "core/launch.cuh"
#include "emd/map/map_device.cuh"

namespace fovea::emd::cuda {
namespace {

constexpr struct {
  int threads = 256;
  int blocks = 1024;  // most blocks of kernels that walk over a list of unknown length
} kTuning;

using fovea::cuda::thread_number;
using fovea::cuda::thread_total;

__device__ int pixel_x(const LookUp& job, std::uint32_t pixel) {
  return static_cast<int>(pixel % static_cast<std::uint32_t>(job.distances.width));
}
__device__ int pixel_y(const LookUp& job, std::uint32_t pixel) {
  return static_cast<int>(pixel / static_cast<std::uint32_t>(job.distances.width));
}

template <class A, class B>
__device__ bool equal_counts(const A* a, const B* b, int bins) {
  for (int i = 0; i < bins; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

template <class Count>
struct HistogramBand {
  ImageView<const Count> counts;
  KeyKind kind;
  detail::RankParams rank;
};

template <class Count>
__device__ detail::Place place_of(const HistogramBand<Count>& band, const LookUp& job,
                                  const Count* counts, std::uint32_t pixel) {
  const int bins = job.known.bins;
  if (band.kind == KeyKind::kWhole) {
    const std::uint64_t hash = detail::hash_of(bins, counts);
    const std::uint64_t key = detail::owner_key(hash, pixel | detail::kOwnerIsPixel);
    return find_or_claim(job.known, hash, key, [&](std::uint64_t there) {
      if (!detail::hash_part_equals(there, hash)) return false;
      const std::uint32_t owner = detail::owner_of(there);
      if (owner < detail::kOwnerIsPixel)
        return equal_counts(counts, job.known.kept + static_cast<std::ptrdiff_t>(owner) * bins,
                            bins);
      const std::uint32_t other = owner - detail::kOwnerIsPixel;
      return equal_counts(counts, &band.counts.at(pixel_x(job, other), pixel_y(job, other)), bins);
    });
  }
  const std::uint64_t key = band.kind == KeyKind::kRank
                                ? detail::rank_of(band.rank, counts)
                                : detail::packed_counts<Count>(bins, counts);
  if (key == detail::kNoKey) return {detail::kUnknown, detail::kUnknown, true};
  return find_or_claim(job.known, detail::scramble(key), key,
                       [key](std::uint64_t there) { return there == key; });
}

template <class Count>
__global__ void look_up_histograms_kernel(const __grid_constant__ HistogramBand<Count> band,
                                          const __grid_constant__ LookUp job) {
  const unsigned pixel = thread_number();
  const bool inside =
      pixel < static_cast<unsigned>(band.counts.width) * static_cast<unsigned>(band.counts.height);
  detail::Place place{detail::kUnknown, detail::kUnknown, false};
  const int x = pixel_x(job, pixel), y = pixel_y(job, pixel);
  const Count* counts = nullptr;
  if (inside) {
    counts = &band.counts.at(x, y);
    place = place_of(band, job, counts, pixel);
  }
  const int number = list_fresh(job, place, inside, pixel);
  if (number >= 0) {
    std::uint16_t* to = job.fresh.problems + static_cast<std::ptrdiff_t>(number) * job.known.bins;
    for (int b = 0; b < job.known.bins; ++b) to[b] = counts[b];
  }
  const bool ready = inside && place.value != detail::kUnknown;
  const unsigned ready_lanes = __ballot_sync(~0U, ready);
  if (threadIdx.x % 32 == 0 && ready_lanes != 0)
    atomicAdd(&job.counters->cached, static_cast<unsigned>(__popc(ready_lanes)));
  if (inside && place.slot != detail::kUnknown)
    set_bits(job.distances, x, y, ready ? place.value : detail::kPending | place.slot);
}

// Where the distance of a new one is stored.
__device__ void store_value(const LookUp& job, unsigned number, float value) {
  const std::uint32_t slot = job.fresh.slots[number];
  if (slot != detail::kUnknown) {
    job.known.slots[slot].value = __float_as_uint(value);
    return;
  }
  const std::uint32_t pixel = job.fresh.pixels[number];
  job.distances.at(pixel_x(job, pixel), pixel_y(job, pixel)) = value;
}

__global__ void skip_by_bounds_kernel(const __grid_constant__ BoundJob job) {
  const unsigned count = job.look_up.counters->fresh;
  const int bins = job.bounds.bins;
  // Whole warps loop together, because they share the list.
  for (unsigned start = thread_number() / 32 * 32; start < count; start += thread_total()) {
    const unsigned number = start + threadIdx.x % 32;
    const std::uint16_t* counts =
        job.look_up.fresh.problems + static_cast<std::ptrdiff_t>(number) * bins;
    const bool here = number < count;
    const float bound = here ? detail::bound_above(job.bounds, counts) : 0;
    if (here && bound >= 0) store_value(job.look_up, number, bound);
    const bool left = here && bound < 0;
    const unsigned mask = __ballot_sync(~0U, left);
    unsigned base = 0;
    if (threadIdx.x % 32 == 0 && mask != 0)
      base = atomicAdd(&job.look_up.counters->unsolved, static_cast<unsigned>(__popc(mask)));
    base = __shfl_sync(~0U, base, 0);
    if (!left) continue;
    const unsigned place =
        base + static_cast<unsigned>(__popc(mask & ((1U << (threadIdx.x % 32)) - 1)));
    job.unsolved[place] = number;
    std::uint16_t* to = job.problems + static_cast<std::ptrdiff_t>(place) * bins;
    for (int b = 0; b < bins; ++b) to[b] = counts[b];
  }
}

__global__ void store_solved_kernel(const __grid_constant__ LookUp job,
                                    const __grid_constant__ SolvedView solved) {
  const unsigned i = thread_number();
  unsigned pivots = 0, unproved = 0;
  int solver = -1;
  if (i < solved.count) {
    store_value(job, solved.unsolved != nullptr ? solved.unsolved[i] : i,
                static_cast<float>(solved.distance[i]));
    pivots = solved.pivots[i];
    unproved = solved.status[i] == Status::kPivotLimit;
    solver = static_cast<int>(solved.solved_by[i]);
  }
  pivots = __reduce_add_sync(~0U, pivots);
  unproved = __reduce_add_sync(~0U, unproved);
  // Lane k counts the problems of solver k.
  const int lane = static_cast<int>(threadIdx.x % 32);
  unsigned mine = 0;
  for (int k = 0; k < kSolvers; ++k) {
    const unsigned took = __ballot_sync(~0U, solver == k);
    if (lane == k) mine = took;
  }
  if (mine != 0)
    atomicAdd(&job.counters->solved_by[lane], static_cast<unsigned long long>(__popc(mine)));
  if (lane != 0) return;
  if (pivots > 0) atomicAdd(&job.counters->pivots, static_cast<unsigned long long>(pivots));
  if (unproved > 0) atomicAdd(&job.counters->unproved, static_cast<unsigned long long>(unproved));
}

__global__ void keep_fresh_kernel(const __grid_constant__ LookUp job, std::uint32_t first,
                                  unsigned count) {
  const unsigned i = thread_number();
  if (i >= count) return;
  const int bins = job.known.bins;
  const std::uint32_t number = first + i;
  const std::uint16_t* from = job.fresh.problems + static_cast<std::ptrdiff_t>(i) * bins;
  std::uint16_t* to = job.known.kept + static_cast<std::ptrdiff_t>(number) * bins;
  for (int b = 0; b < bins; ++b) to[b] = from[b];
  std::uint64_t& key = job.known.slots[job.fresh.slots[i]].key;
  key = (key >> 32) << 32 | number;
}

__global__ void fill_in_kernel(const __grid_constant__ LookUp job) {
  const auto [x, y] = fovea::cuda::thread_place();
  if (x >= job.distances.width || y >= job.distances.height) return;
  const std::uint32_t bits = __float_as_uint(job.distances.at(x, y));
  if ((bits & detail::kPending) != 0)
    set_bits(job.distances, x, y, value_of(job.known, bits & ~detail::kPending));
}

__global__ void clear_known_kernel(const __grid_constant__ KnownView known) {
  const uint4 empty{~0U, ~0U, ~0U, ~0U};
  for (unsigned i = thread_number(); i < known.capacity; i += thread_total())
    reinterpret_cast<uint4*>(known.slots)[i] = empty;
}

unsigned blocks_over(std::int64_t count) { return fovea::cuda::blocks_for(count, kTuning.threads); }

}  // namespace

template <class Count>
void look_up_histograms(ImageView<const Count> counts, KeyKind kind, const detail::RankParams& rank,
                        const LookUp& job, cudaStream_t stream) {
  look_up_histograms_kernel<Count>
      <<<blocks_over(std::int64_t{counts.width} * counts.height), kTuning.threads, 0, stream>>>(
          {counts, kind, rank}, job);
  fovea::cuda::check_launch("emd map: histograms");
}
template void look_up_histograms(ImageView<const std::uint8_t>, KeyKind, const detail::RankParams&,
                                 const LookUp&, cudaStream_t);
template void look_up_histograms(ImageView<const std::uint16_t>, KeyKind, const detail::RankParams&,
                                 const LookUp&, cudaStream_t);

void skip_by_bounds(const BoundJob& job, cudaStream_t stream) {
  skip_by_bounds_kernel<<<kTuning.blocks, kTuning.threads, 0, stream>>>(job);
  fovea::cuda::check_launch("emd map: bounds");
}
void store_solved(const LookUp& job, const SolvedView& solved, cudaStream_t stream) {
  if (solved.count == 0) return;
  store_solved_kernel<<<blocks_over(solved.count), kTuning.threads, 0, stream>>>(job, solved);
  fovea::cuda::check_launch("emd map: storing");
}
void keep_fresh(const LookUp& job, std::uint32_t first, unsigned count, cudaStream_t stream) {
  if (count == 0) return;
  keep_fresh_kernel<<<blocks_over(count), kTuning.threads, 0, stream>>>(job, first, count);
  fovea::cuda::check_launch("emd map: keeping");
}
void fill_in(const LookUp& job, cudaStream_t stream) {
  const dim3 grid = fovea::cuda::grid_over(job.distances.width, job.distances.height,
                                           dim3(static_cast<unsigned>(kTuning.threads)));
  fill_in_kernel<<<grid, kTuning.threads, 0, stream>>>(job);
  fovea::cuda::check_launch("emd map: filling in");
}
void clear_known(const KnownView& known, cudaStream_t stream) {
  clear_known_kernel<<<kTuning.blocks, kTuning.threads, 0, stream>>>(known);
  fovea::cuda::check_launch("emd map: clearing");
}

}  // namespace fovea::emd::cuda
