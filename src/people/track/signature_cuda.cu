// The CUDA twin of the color histograms: one block per grid, which counts whole numbers in shared
// memory, so that the order of the additions does not matter.
#include "core/on_device.cuh"
#include "people/track/backend.h"

namespace fovea::people::cuda {
namespace {

using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr struct {
  int threads = 64;  // three pixels of a grid each
} kTuning;

__global__ void masses_kernel(ImageView<const std::uint8_t> frame, const PixelGrid* grids,
                              const CellColors* table, ImageView<std::uint16_t> masses) {
  __shared__ int counts[kColors];
  const int thread = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x);
  for (int color = thread; color < kColors; color += kTuning.threads) counts[color] = 0;
  __syncthreads();
  const PixelGrid grid = grids[row];
  for (int place = thread; place < kGridColumns * kGridRows; place += kTuning.threads) {
    const std::uint8_t* const pixel = grid_pixel(frame, grid, place);
    if (pixel == nullptr) continue;
    const CellColors colors = table[color_cell(pixel, frame.channels)];
    atomicAdd(&counts[colors.nearest], static_cast<int>(colors.mass));
    atomicAdd(&counts[colors.other], kPixelMass - static_cast<int>(colors.mass));
  }
  __syncthreads();
  for (int color = thread; color < kColors; color += kTuning.threads)
    masses.at(color, row) = static_cast<std::uint16_t>(counts[color]);
}

}  // namespace

void color_masses(ImageView<const std::uint8_t> frame, std::span<const PixelGrid> grids,
                  std::span<const CellColors> table, ImageView<std::uint16_t> masses,
                  const Exec& exec) {
  Session session(exec);
  OnDevice<const std::uint8_t> source(session, frame);
  OnDevice<std::uint16_t> result(session, masses);
  DeviceBuffer<PixelGrid> places(grids.size(), session.stream());
  places.fill(grids.data());
  DeviceBuffer<CellColors> cells(table.size(), session.stream());
  cells.fill(table.data());
  masses_kernel<<<static_cast<unsigned>(grids.size()), kTuning.threads, 0, session.stream()>>>(
      source.image(), places.data(), cells.data(), result.image());
  check_launch("colors of people");
  result.fetch();
  session.finish("track");
}

}  // namespace fovea::people::cuda
