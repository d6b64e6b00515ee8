// Frames on a GPU: channels become bands, samples floats, bands become gray or colors, and masks
// choose distances.
#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "emd/scene/backend.h"
#include "emd/scene/scene_math.h"
#include "emd/track/track_math.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::Session;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

dim3 grid_for(int width, int height) { return fovea::cuda::grid_over(width, height, kThreads); }

template <class T>
__global__ void split_kernel(ImageView<const T> image, StackView<float> bands) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= image.width || at.y >= image.height) return;
  const T* const pixel = &image.at(at.x, at.y);
  for (int c = 0; c < image.channels; ++c)
    bands.plane(c).at(at.x, at.y) = static_cast<float>(pixel[c]);
}

template <class T>
__global__ void widen_kernel(StackView<const T> samples, StackView<float> bands) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= bands.width || at.y >= bands.height) return;
  for (int b = 0; b < bands.count; ++b)
    bands.plane(b).at(at.x, at.y) = static_cast<float>(samples.plane(b).at(at.x, at.y));
}
template <class T>
void widen_bands(StackView<const T> samples, StackView<float> bands, const Exec& exec) {
  Session session(exec);
  widen_kernel<<<grid_for(bands.width, bands.height), kThreads, 0, session.stream()>>>(samples,
                                                                                       bands);
  check_launch("samples of bands");
  session.finish("samples of bands");
}

__global__ void brightness_kernel(StackView<const float> bands, ImageView<float> gray) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= gray.width || at.y >= gray.height) return;
  const auto band = [&](int b) { return bands.plane(b).at(at.x, at.y); };
  gray.at(at.x, at.y) = detail::brightness(band(0), band(1), band(2));
}

struct Range {
  float low, high;
  bool missing;
};
__global__ void label_bands_kernel(StackView<const float> bands, Range range,
                                   const std::uint8_t* table, ImageView<std::uint8_t> labels) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= labels.width || at.y >= labels.height) return;
  std::uint8_t pixel[3] = {0, 0, 0};
  bool finite = true;
  for (int b = 0; b < bands.count; ++b) {
    const float value = bands.plane(b).at(at.x, at.y);
    finite = finite && isfinite(value);
    pixel[b] = detail::byte_of(value, range.low, range.high);
  }
  labels.at(at.x, at.y) = range.missing && !finite ? 255 : table[color_cell(pixel, bands.count)];
}

__global__ void choose_kernel(ImageView<const float> values, ImageView<const std::uint8_t> mask,
                              int2 corner, ImageView<float> map) {
  const int2 at = fovea::cuda::thread_place();
  if (at.x >= map.width || at.y >= map.height) return;
  const int x = at.x - corner.x, y = at.y - corner.y;
  const bool chosen =
      x >= 0 && y >= 0 && x < values.width && y < values.height && mask.at(at.x, at.y) != 0;
  map.at(at.x, at.y) = chosen ? values.at(x, y) : __uint_as_float(0x7fc00000U);
}

}  // namespace

template <class T>
void split_channels(ImageView<const T> image, StackView<float> bands, const Exec& exec) {
  Session session(exec);
  split_kernel<<<grid_for(image.width, image.height), kThreads, 0, session.stream()>>>(image,
                                                                                       bands);
  check_launch("bands of an image");
  session.finish("bands of an image");
}
FOVEA_SPLIT_ALL

void widen(StackView<const std::uint16_t> samples, StackView<float> bands, const Exec& exec) {
  widen_bands(samples, bands, exec);
}
void widen(StackView<const std::int16_t> samples, StackView<float> bands, const Exec& exec) {
  widen_bands(samples, bands, exec);
}

void brightness_of(StackView<const float> bands, ImageView<float> gray, const Exec& exec) {
  Session session(exec);
  brightness_kernel<<<grid_for(gray.width, gray.height), kThreads, 0, session.stream()>>>(bands,
                                                                                          gray);
  check_launch("brightness");
  session.finish("brightness");
}

void label_bands(StackView<const float> bands, const ColorTable& colors,
                 ImageView<std::uint8_t> labels, const Exec& exec) {
  Session session(exec);
  DeviceBuffer<std::uint8_t> cells(colors.table.size(), session.stream());
  cells.fill(colors.table.data());
  label_bands_kernel<<<grid_for(labels.width, labels.height), kThreads, 0, session.stream()>>>(
      bands, {colors.low, colors.high, colors.missing}, cells.data(), labels);
  check_launch("labels of colors");
  session.finish("labels of colors");
}

void choose(ImageView<const float> values, ImageView<const std::uint8_t> mask, const Rect<int>& box,
            ImageView<float> map, const Exec& exec) {
  Session session(exec);
  choose_kernel<<<grid_for(map.width, map.height), kThreads, 0, session.stream()>>>(
      values, mask, {box.x, box.y}, map);
  check_launch("a mask");
  session.finish("a mask");
}

}  // namespace fovea::emd::cuda
