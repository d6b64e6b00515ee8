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

// What a level's refinement works on.
struct DeviceRefineSpace {
  DeviceField base;                     // the flow of the warp
  FloatPlane mean, difference, dx, dy;  // of the first image and the warped second one
  FloatPlane valid, counted;            // 1 where there is data; the latter with masks only
  FloatPlane right, down, cross, want_u, want_v, inverse_u, inverse_v;
};

void to_gray_levels(DeviceGray units, const FloatPlane& out, cudaStream_t stream);
void mean_of_channels(const DevicePlane<const float> (&channels)[3], const FloatPlane& out,
                      cudaStream_t stream);

struct DeviceRefine {
  DeviceRefineLevel first, second;
  DeviceRefineSpace space;
  refine::Energy energy;
};
// Warps the second image by space.base.
void refine_warp(const DeviceRefine& job, cudaStream_t stream);
void refine_systems(const DeviceRefine& job, const DeviceField& field, cudaStream_t stream);
// All relaxations of a system, from one field to another.
struct DeviceRelaxation {
  DeviceField in, out;
  int relaxations;
};
void relax(const DeviceRefine& job, const DeviceRelaxation& fields, cudaStream_t stream);

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
