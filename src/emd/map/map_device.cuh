// The known histograms in device memory and the list of new ones, as the kernels of the map read
// them, and the launches that the engine uses.
#pragma once
#include "core/on_device.cuh"
#include "emd/map/map_plan.h"

namespace fovea::emd::cuda {

struct MapCounters {
  // For a band:
  unsigned fresh;     // new histograms, in the list
  unsigned keyless;   // new histograms without a slot
  unsigned unsolved;  // new histograms that the bounds leave to the solver
  unsigned cached;
  // For a frame:
  unsigned long long pivots;
  unsigned long long unproved;
  unsigned long long solved_by[kSolvers];
};

struct KnownView {
  detail::Slot* slots;
  std::uint32_t capacity;
  std::uint16_t* kept;  // whole histograms, where keys are not exact
  int bins;
};

// New histograms in the order in which they were found; the input of the solver is in `problems`,
// row after row.
struct FreshView {
  std::uint32_t* pixels;  // pixel of the band
  std::uint32_t* slots;   // kUnknown means none: the distance is only that of the pixel
  std::uint16_t* problems;
};

// What a band of rows is looked up with.
struct LookUp {
  KnownView known;
  FreshView fresh;
  ImageView<float> distances;  // distances of the band
  MapCounters* counters;
};

__device__ inline void set_bits(const ImageView<float>& image, int x, int y, std::uint32_t bits) {
  image.at(x, y) = __uint_as_float(bits);
}
__device__ inline std::uint32_t value_of(const KnownView& known, std::uint32_t slot) {
  return known.slots[slot].value;
}

// same(key) returns whether that is the histogram that is searched for.
template <class Same>
__device__ detail::Place find_or_claim(const KnownView& known, std::uint64_t hash,
                                       std::uint64_t key, const Same& same) {
  return detail::find_or_claim(
      hash, known.capacity,
      [&](std::uint32_t slot) -> detail::SlotContent {
        const uint4 there = reinterpret_cast<const uint4*>(known.slots)[slot];
        return {static_cast<std::uint64_t>(there.y) << 32 | there.x, there.z};
      },
      same,
      [&](std::uint32_t slot) -> std::uint64_t {
        return atomicCAS(reinterpret_cast<unsigned long long*>(&known.slots[slot].key),
                         static_cast<unsigned long long>(detail::kNoKey),
                         static_cast<unsigned long long>(key));
      });
}

// The place of a pixel, as its thread found it. All threads of a warp must call it; `counted` is
// false for those without a pixel. Returns the pixel's number in the list of new ones, or -1.
__device__ inline int list_fresh(const LookUp& job, const detail::Place& place, bool counted,
                                 std::uint32_t pixel) {
  const bool fresh = counted && place.claimed;
  const unsigned mask = __ballot_sync(~0U, fresh);
  if (mask == 0) return -1;
  const int lane = static_cast<int>(threadIdx.x % 32), leader = __ffs(static_cast<int>(mask)) - 1;
  unsigned base = 0;
  if (lane == leader) base = atomicAdd(&job.counters->fresh, static_cast<unsigned>(__popc(mask)));
  base = __shfl_sync(~0U, base, leader);
  if (!fresh) return -1;
  const unsigned number = base + static_cast<unsigned>(__popc(mask & ((1U << lane) - 1)));
  job.fresh.pixels[number] = pixel;
  job.fresh.slots[number] = place.slot;
  if (place.slot == detail::kUnknown) atomicAdd(&job.counters->keyless, 1U);
  return static_cast<int>(number);
}

// Windows of labels with at most 15 pixels across and few enough bins; others are counted by
// window_histogram() first.
struct WindowBand {
  ImageView<const std::uint8_t> labels;  // the whole frame
  RowSpan rows;
  int radius;
  bool repeat;
  detail::RankParams rank;  // its table on the device
};
bool can_look_up_windows(const KeyPlan& keys, int window);
void look_up_windows(const WindowBand& band, const LookUp& job, cudaStream_t stream);

// Given histograms, one per pixel of the band.
template <class Count>
void look_up_histograms(ImageView<const Count> counts, KeyKind kind, const detail::RankParams& rank,
                        const LookUp& job, cudaStream_t stream);

// Computes bounds for the new ones. What they prove is stored; the others are listed by their
// numbers in `unsolved`, and their histograms are gathered in `problems`.
struct BoundJob {
  LookUp look_up;
  detail::BoundParams bounds;  // tables on the device
  std::uint32_t* unsolved;
  std::uint16_t* problems;
};
void skip_by_bounds(const BoundJob& job, cudaStream_t stream);

// Stores the results of the solver for the first `count` of the new ones, or for those that are
// listed in `unsolved`.
struct SolvedView {
  const std::uint32_t* unsolved;  // may be null
  const double* distance;
  const std::uint16_t* pivots;
  const Status* status;
  const SolvedBy* solved_by;
  unsigned count;
};
void store_solved(const LookUp& job, const SolvedView& solved, cudaStream_t stream);
// Keeps the whole histograms of `count` new ones under the numbers from `first` on.
void keep_fresh(const LookUp& job, std::uint32_t first, unsigned count, cudaStream_t stream);
// Fills in distances that were pending.
void fill_in(const LookUp& job, cudaStream_t stream);
void clear_known(const KnownView& known, cudaStream_t stream);

}  // namespace fovea::emd::cuda
