// Centers on the device, prepared for nearest_cuda.cuh.
#pragma once
#include <fovea/core/image.h>

#include "core/on_device.cuh"
#include "ops/kmeans/nearest_cuda.cuh"

namespace fovea::cuda {

// The memory of a CentersView. The number of centers is rounded up to whole groups.
struct CentersMemory {
  int centers = 0;
  int dimensions = 0;
  int pitch = 0;
  float* numbers = nullptr;
  float* halves = nullptr;
  std::uint32_t* groups = nullptr;
  float* most_half = nullptr;
  float* origin = nullptr;

  CentersView view() const {
    return {centers, dimensions, pitch, numbers, halves, groups, most_half, origin};
  }
};

// To be called after the numbers of a group's centers are written and the block has synchronized:
// computes halves, the greatest half of the moved centers (initialized to 0), and the words of the
// group. All threads of a block call it, 96 or more.
__device__ inline void prepare_group(const CentersMemory& to, int group) {
  using namespace detail::nearest;
  const int first = group * kGroup, present = min(kGroup, to.centers - first);
  const int steps = to.pitch / kStep;
  const float* numbers = to.numbers + static_cast<std::ptrdiff_t>(first) * to.pitch;
  std::uint32_t* words = to.groups == nullptr
                             ? nullptr
                             : to.groups + static_cast<std::ptrdiff_t>(group) * group_words(steps);
  // Each of a center's two sums is computed by one thread, in different warps.
  const int at = static_cast<int>(threadIdx.x % 32);
  const float* center = numbers + static_cast<std::ptrdiff_t>(at) * to.pitch;
  if (threadIdx.x / 32 == 0 && at < kGroup)
    to.halves[first + at] = at < present ? detail::half_square(center, to.dimensions) : kFarHalf;
  if (words == nullptr) return;
  if (threadIdx.x / 32 == 2 && at < kGroup) {
    float half = kFarHalf;
    if (at < present) {
      half = moved_half(center, to.origin, to.dimensions);
      atomicMax(reinterpret_cast<unsigned*>(to.most_half), __float_as_uint(half));
    }
    words[steps * kStepWords + at] = __float_as_uint(half);
  }
  for (int pair = static_cast<int>(threadIdx.x); pair < steps * 64;
       pair += static_cast<int>(blockDim.x))
    pack_pair({numbers, to.origin, to.pitch, present}, pair, words);
}

// Prepares centers whose numbers are on the device already, with zeros after each; their origin is
// near their mean.
void prepare_centers(const CentersMemory& centers, cudaStream_t stream);

// Allocates memory for centers of a size.
class DeviceCenters {
 public:
  DeviceCenters(int centers, int dimensions);
  // Centers on the host, one per row; the call returns once they have been read.
  DeviceCenters(ImageView<const float> centers, cudaStream_t stream);

  const CentersMemory& memory() const { return memory_; }
  CentersView view() const { return memory_.view(); }

 private:
  Array<float> numbers_;
  Array<float> halves_;  // halves, followed by the greatest
  Array<std::uint32_t> groups_;
  Array<float> origin_;  // origin, followed by its length
  CentersMemory memory_;
};

}  // namespace fovea::cuda
