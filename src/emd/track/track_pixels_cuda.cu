// CUDA twins of labels and likelihoods; their results equal those of the CPU to the bit.
#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "emd/track/backend.h"
#include "emd/track/track_math.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::grid_over;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;
using fovea::cuda::thread_place;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

__global__ void label_kernel(ImageView<const std::uint8_t> frame, const std::uint8_t* table,
                             ImageView<std::uint8_t> labels) {
  const int2 at = thread_place();
  if (at.x >= frame.width || at.y >= frame.height) return;
  labels.at(at.x, at.y) = table[color_cell(&frame.at(at.x, at.y), frame.channels)];
}

__global__ void likelihood_kernel(ImageView<const float> to_target,
                                  ImageView<const float> to_surround,
                                  ImageView<std::uint16_t> out) {
  const int2 at = thread_place();
  if (at.x >= out.width || at.y >= out.height) return;
  out.at(at.x, at.y) = likelihood_of(to_target.at(at.x, at.y), to_surround.at(at.x, at.y));
}

}  // namespace

void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec) {
  Session session(exec);
  OnDevice<const std::uint8_t> source(session, frame);
  OnDevice<std::uint8_t> result(session, labels);
  DeviceBuffer<std::uint8_t> cells(table.size(), session.stream());
  cells.fill(table.data());
  label_kernel<<<grid_over(frame.width, frame.height, kThreads), kThreads, 0, session.stream()>>>(
      source.image(), cells.data(), result.image());
  check_launch("labels of colors");
  result.fetch();
  session.finish("track");
}

void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec) {
  Session session(exec);
  OnDevice<const float> target(session, to_target), surround(session, to_surround);
  OnDevice<std::uint16_t> result(session, out);
  likelihood_kernel<<<grid_over(out.width, out.height, kThreads), kThreads, 0, session.stream()>>>(
      target.image(), surround.image(), result.image());
  check_launch("a likelihood");
  result.fetch();
  session.finish("track");
}

}  // namespace fovea::emd::cuda
