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
  detail::nearest::CenterBounds* bounds = nullptr;
  float* origin = nullptr;
  detail::nearest::Frame* frame = nullptr;

  CentersView view() const {
    return {centers, dimensions, pitch, numbers, halves, groups, bounds, origin, frame};
  }
};

// Raises a number that is not negative; the bits of such numbers have their order.
__device__ inline void raise_to(float* to, float value) {
  atomicMax(reinterpret_cast<unsigned*>(to), __float_as_uint(value));
}

// To be called after the numbers of a group's centers are written and the block has synchronized:
// computes halves, the bounds of the moved centers (initialized to 0), and the words of the group.
// All threads of a block call it, 96 or more.
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
  const float scale = to.frame->scale;
  if (threadIdx.x / 32 == 2 && at < kGroup) {
    float half = kFarHalf;
    if (at < present) {
      const CenterSize size = measure_center(center, to.origin, scale, to.dimensions);
      half = size.half;
      raise_to(&to.bounds->length, size.bounds.length);
      raise_to(&to.bounds->loss, size.bounds.loss);
      raise_to(&to.bounds->share, size.bounds.share);
    }
    words[steps * kStepWords + at] = __float_as_uint(half);
  }
  for (int pair = static_cast<int>(threadIdx.x); pair < steps * kStepWords;
       pair += static_cast<int>(blockDim.x))
    pack_pair({numbers, to.origin, scale, to.pitch, present}, pair, words);
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
  Array<float> halves_;
  Array<std::uint32_t> groups_;
  Array<float> origin_;
  Array<detail::nearest::Frame> frame_;
  Array<detail::nearest::CenterBounds> bounds_;
  CentersMemory memory_;
};

}  // namespace fovea::cuda
