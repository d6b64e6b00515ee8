// The stages of the variational refinement on CUDA, each with one launch; their results equal those
// of the CPU to the bit.
#pragma once
#include "flow/lk/lucas_kanade_cuda.cuh"
#include "flow/refine/refine_math.h"

namespace fovea::flow::cuda {

using FloatPlane = DevicePlane<float>;

// One level of a frame: gray levels, and what lk::trial_difference() needs. The mask has no data
// where every pixel counts.
struct DeviceRefineLevel {
  FloatPlane gray;
  DeviceFrameLevel features;
};

// What a warp leaves for the systems of its pixels.
struct DeviceWarp {
  DevicePlane<float4> first;   // refine::Derivatives x, y, z and xx
  DevicePlane<float4> second;  // xy, yy, xz and yz
  FloatPlane valid;            // 1 where there is data, else 0
};

void to_gray_levels(DeviceGray units, const FloatPlane& out, cudaStream_t stream);
void mean_of_channels(const DevicePlane<const float> (&channels)[3], const FloatPlane& out,
                      cudaStream_t stream);

struct DeviceRefine {
  DeviceRefineLevel first, second;
  DeviceWarp warp;
  refine::Energy energy;
};
// Warps the second image by `base` and derives.
void refine_warp(const DeviceRefine& job, const DeviceField& base, cudaStream_t stream);
// Finds the systems for the flow `in` and relaxes them. `base` is the flow of the warp; `out` is
// neither of the others.
struct DeviceSolution {
  DeviceField base, in, out;
  int relaxations;
};
// Returns whether a median of radius `median` (0: none is asked for) was taken too, which is done
// where a level is small and the radius is that of refine::Work. Throws if there are more
// relaxations than refine::Work has, which is as far as a tile sees.
bool solve(const DeviceRefine& job, const DeviceSolution& fields, int median, cudaStream_t stream);

// The weighted median of the flow `in`. The warp is that of the flow before the last round.
void mend(const DeviceRefine& job, const DeviceField& in, const DeviceField& out,
          cudaStream_t stream);

// Writes to `out` the flow of `own`, or of `other` where that fits better.
struct DeviceFusion {
  DeviceFrameLevel first, second;
  DeviceField own, other, out;
  bool other_beyond_mask;
};
void fuse(const DeviceFusion& job, cudaStream_t stream);
// Replaces the flow of `to` by `field`, and lowers its confidence, if there is one, where they
// differ.
void settle(const DeviceField& field, const DeviceField& to, const FloatPlane& confidence,
            cudaStream_t stream);

}  // namespace fovea::flow::cuda
