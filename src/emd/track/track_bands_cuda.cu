// CUDA twin of labels by bands: one thread per pixel, which keeps its distances to all colors in
// registers while it reads the bands. Neighbors read neighboring samples, and all threads of a
// warp read the same color. The result equals that of the CPU to the bit. The bound is the
// bandwidth for few colors: each sample is read once, or twice where the shape is compared.
#include <limits>

#include "core/on_device.cuh"
#include "emd/track/backend.h"
#include "emd/track/track_bands_math.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr struct { int threads = 128; } kBandTuning;

// The table on the device; rows of centers are filled up with colors that no pixel is near.
struct DeviceTable {
  int bands;
  bool shape;
  const float* offset;
  const float* scale;
  const float* centers;
};

__device__ float brightness_at(const StackView<const float>& frame, int x, int y) {
  float squares = 0;
  int measured = 0;
  for (int b = 0; b < frame.count; ++b) {
    const float sample = frame.plane(b).at(x, y);
    if (!is_measured(sample)) continue;
    squares += sample * sample;
    ++measured;
  }
  return inverse_brightness(squares, measured);
}

template <int kColors>
__global__ void label_bands_kernel(StackView<const float> frame, DeviceTable table,
                                   ImageView<std::uint8_t> labels) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = fovea::cuda::block_row();
  if (x >= frame.width || y >= frame.height) return;
  const float inverse = table.shape ? brightness_at(frame, x, y) : 1.0F;
  float distances[kColors];
#pragma unroll
  for (int k = 0; k < kColors; ++k) distances[k] = 0;
  bool seen = false;
  for (int b = 0; b < table.bands; ++b) {
    const float scale = table.scale[b];
    if (!(scale > 0.0F)) continue;
    const float sample = frame.plane(b).at(x, y);
    if (!is_measured(sample)) continue;
    seen = true;
    const float value = scaled_sample(sample, inverse, table.offset[b], scale);
    const float* const centers = table.centers + static_cast<std::ptrdiff_t>(b) * kColors;
#pragma unroll
    for (int k = 0; k < kColors; ++k) {
      const float step = value - centers[k];
      distances[k] += step * step;
    }
  }
  int best = 0;
  float least = distances[0];
#pragma unroll
  for (int k = 1; k < kColors; ++k) {
    if (distances[k] < least) {
      least = distances[k];
      best = k;
    }
  }
  labels.at(x, y) = seen ? static_cast<std::uint8_t>(best) : kNoLabel;
}

std::vector<float> padded_centers(const BandTable& table, int colors) {
  const auto row = static_cast<std::size_t>(colors);
  std::vector<float> centers(static_cast<std::size_t>(table.bands) * row,
                             std::numeric_limits<float>::infinity());
  for (int b = 0; b < table.bands; ++b)
    for (int k = 0; k < table.colors; ++k)
      centers[static_cast<std::size_t>(b) * row + static_cast<std::size_t>(k)] = table.center(b, k);
  return centers;
}

template <int kColors>
void launch(const StackView<const float>& frame, const BandTable& table,
            const ImageView<std::uint8_t>& labels, const Session& session) {
  const std::vector<float> rows = padded_centers(table, kColors);
  DeviceBuffer<float> offset(table.offset.size(), session.stream());
  DeviceBuffer<float> scale(table.scale.size(), session.stream());
  DeviceBuffer<float> centers(rows.size(), session.stream());
  offset.fill(table.offset.data());
  scale.fill(table.scale.data());
  centers.fill(rows.data());
  const dim3 grid =
      fovea::cuda::tall_grid(fovea::cuda::blocks_for(frame.width, kBandTuning.threads),
                             static_cast<unsigned>(frame.height));
  label_bands_kernel<kColors>
      <<<grid, static_cast<unsigned>(kBandTuning.threads), 0, session.stream()>>>(
          frame, {table.bands, table.shape, offset.data(), scale.data(), centers.data()}, labels);
  check_launch("labels of bands");
}

}  // namespace

void label_bands(StackView<const float> frame, const BandTable& table,
                 ImageView<std::uint8_t> labels, const Exec& exec) {
  Session session(exec);
  OnDevice<const float> source(session, frame);
  OnDevice<std::uint8_t> result(session, labels);
  const auto twin = table.colors <= 8    ? launch<8>
                    : table.colors <= 16 ? launch<16>
                    : table.colors <= 32 ? launch<32>
                                         : launch<64>;
  twin(source.stack(), table, result.image(), session);
  result.fetch();
  session.finish("track");
}

}  // namespace fovea::emd::cuda
