// What the kernels of the interest points need to know: where planes are on the device. In a ring,
// the plane of time t is in slot t modulo the length of the ring.
#pragma once
#include "actions/points/descriptor_math.h"
#include "actions/points/points_engine.h"
#include "core/cuda_check.h"

namespace fovea::actions::cuda {

struct PlaneShape {
  int width = 0;
  int height = 0;
  int pitch = 0;  // floats
  FOVEA_HD std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(pitch) * height; }
};

struct DeviceRing {
  float* planes = nullptr;
  int length = 1;
};

struct DeviceTaps {
  const float* weights = nullptr;
  int radius = 0;
};

// The frames of a push; `time` is that of the first one.
struct FrameRun {
  long long time = 0;
  int frames = 0;
};

struct SmoothTable {
  PlaneShape shape;
  const float* level = nullptr;  // one plane per frame of the push
  float* across = nullptr;       // one plane per frame of the push
  DeviceRing ring;
  DeviceTaps taps;
};

struct ChannelTable {
  PlaneShape shape;
  DeviceRing smooth;
  DeviceTaps time;
  DeviceRing blurred;
  DeviceRing dx, dy, dt;
  float along = 0, over_time = 0;
  DeviceTaps sum_space, sum_time;
  float* over_frames = nullptr;  // six planes per frame of the push: moments summed over time
  float* across = nullptr;       // the same, also summed along rows
  DeviceRing response;
  int derivative_lag = 0, response_lag = 0;
  PatchSpans spans{};
  DeviceRing u, v;
};

struct PeriodicTable {
  PlaneShape shape;
  DeviceRing smooth;
  DeviceTaps even, odd;
  DeviceRing response;
};

// Where maxima are searched for.
struct MaximaTable {
  PlaneShape shape;
  DeviceRing response;
  int lag = 0;      // frames by which the peaks lag behind the newest frame
  int channel = 0;  // number of the channel in candidates
};
struct MaximaRules {
  int space = 1, time = 1;
  int border = 0;
  float threshold = 0;
};
struct FoundOnDevice {
  Candidate* list = nullptr;
  unsigned* count = nullptr;
  unsigned room = 0;
};

// Tables are on the device; `largest` is the largest of their planes. Everything runs on the
// stream.
struct Grid {
  PlaneShape largest;
  int tables = 0;
  cudaStream_t stream = nullptr;
};

// The gray levels of a frame on the device, gray or RGB.
void take_gray(const ImageView<const std::uint8_t>& frame, std::uint8_t* gray, int stride,
               cudaStream_t stream);
void make_gray(const std::uint8_t* frames, std::ptrdiff_t frame_bytes, int stride, float* level,
               const PlaneShape& shape, int count, cudaStream_t stream);
void halve_level(const float* from, const PlaneShape& from_shape, float* to,
                 const PlaneShape& to_shape, int count, cudaStream_t stream);
void smooth_frames(const SmoothTable* tables, const FrameRun& run, const Grid& grid);
void repeat_smooth(const SmoothTable* tables, const FrameRun& run, const Grid& grid);
void differentiate(const ChannelTable* tables, const FrameRun& run, const Grid& grid);
void respond(const ChannelTable* tables, float k, const FrameRun& run, const Grid& grid);
void respond_periodic(const PeriodicTable& table, const FrameRun& run, cudaStream_t stream);
void find_maxima(const MaximaTable* tables, const MaximaRules& rules, const FrameRun& run,
                 const FoundOnDevice& found, const Grid& grid);
// Every 2^level-th vector of a field, or zeros where there is no field.
void sample_flow(const float* u, const float* v, int stride, int level, const PlaneShape& shape,
                 float* out_u, float* out_v, cudaStream_t stream);

struct DescribeRules {
  long long last = 0;
  FlowVotes votes = FlowVotes::kCount;
  float still = 0;
};
void describe_sites(const ChannelTable* tables, const Site* sites, int count,
                    const DescribeRules& rules, float* out, cudaStream_t stream);

}  // namespace fovea::actions::cuda
