// The stages of dense Lucas-Kanade on CUDA, each with one launch; their results equal those of the
// CPU to the bit.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "flow/lk/lucas_kanade_plan.h"

namespace fovea::flow::cuda {

// An image on the device, as kernels read it.
template <class T>
struct DevicePlane {
  T* data;
  int width, height;
  int stride;  // in elements

  FOVEA_HD T* row(int y) const { return data + static_cast<std::int64_t>(y) * stride; }
  FOVEA_HD T& at(int x, int y) const { return row(y)[x]; }
  operator DevicePlane<const T>() const requires(!std::is_const_v<T>) {
    return {data, width, height, stride};
  }
};

// A view of device memory as a kernel takes it.
template <class T>
DevicePlane<T> plane_of(ImageView<T> image) {
  return {image.data, image.width, image.height, static_cast<int>(image.stride)};
}

// One level of a frame; the mask has no data where every pixel counts, and the colors have none
// where gray values are compared.
struct DeviceFrameLevel {
  DevicePlane<std::uint8_t> features;
  DevicePlane<std::uint8_t> colors[2];  // of the second and third channel
  DevicePlane<std::uint8_t> mask;

  FOVEA_HD int channels() const { return colors[0].data == nullptr ? 1 : 3; }
  FOVEA_HD const DevicePlane<std::uint8_t>& channel(int c) const {
    return c == 0 ? features : colors[c - 1];
  }
  FOVEA_HD bool counts(int x, int y) const { return mask.data == nullptr || mask.at(x, y) != 0; }
};
struct DeviceField {
  DevicePlane<float> u, v;
};

// Gray units of a level; lk::kNoGray where the mask is 0.
using DeviceGray = DevicePlane<std::uint16_t>;
void quantize(DevicePlane<const float> gray, DevicePlane<const std::uint8_t> mask, DeviceGray out,
              cudaStream_t stream);
void halve(DeviceGray gray, bool masked, DeviceGray out, cudaStream_t stream);
// One channel of several levels that are worked on at once. The mask follows from the gray units,
// and is the same for all channels.
struct FeatureLevels {
  static constexpr int kMost = 24;
  DeviceGray gray[kMost];
  DevicePlane<std::uint8_t> out[kMost];
  DevicePlane<std::uint8_t> mask[kMost];
  int count;
};
void find_features(const FeatureLevels& levels, bool rank, cudaStream_t stream);

// Refines `in` to `out` by one step. Writes the smaller eigenvalue of each pixel's system where
// there is a plane for it.
struct DeviceStep {
  DeviceFrameLevel first, second;
  DeviceField in, out;
  DevicePlane<float> eigenvalues;
  const float* taps;  // 2 radius + 1 taps, on the device
  int radius;
  float robust;
  lk::SolveParams solve;
};
void step(const DeviceStep& request, cudaStream_t stream);

// Each pixel of `out` has the flow of `in` that fits best among its own and that of up to eight
// pixels `distance` away.
struct DevicePropagation {
  DeviceFrameLevel first, second;
  DeviceField in, out;
  int distance;
  int first_trial, last_trial;  // range in lk::kTrialOffsets
};
void propagate(const DevicePropagation& request, cudaStream_t stream);

// Computes how much to trust a level's flow. `backward` is the flow from the second image to the
// first on the same level, or has no data.
struct DeviceAssessment {
  DeviceFrameLevel first, second;
  DeviceField flow;
  DevicePlane<float> eigenvalues;  // smaller eigenvalues of the last step
  DeviceField backward;
  float min_eigenvalue;
  float pixel;  // size of the level's pixels: 1, 2, 4, ...
  DevicePlane<float> confidence;
};
void assess(const DeviceAssessment& request, cudaStream_t stream);

// The median of (2 radius + 1)^2 pixels of both planes, with radius 1 or 2; border pixels are
// repeated.
void median(const DeviceField& in, const DeviceField& out, int radius, cudaStream_t stream);

// Enlarges to a level of twice the size: flow is doubled, confidence is not.
void enlarge(const DeviceField& in, const DeviceField& out, cudaStream_t stream);
void enlarge(DevicePlane<float> confidence, DevicePlane<float> out, cudaStream_t stream);

}  // namespace fovea::flow::cuda
