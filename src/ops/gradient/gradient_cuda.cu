// CUDA twin of the gradient: a thread a pixel; neighbours come from the first-level cache, so that
// shared memory would gain nothing.
#include "core/on_device.cuh"
#include "ops/gradient/backend.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int block_x = 32, block_y = 8;  // a warp a row: loads and stores coalesce
} kTuning;

dim3 block_shape() { return dim3(kTuning.block_x, kTuning.block_y); }
dim3 grid_for(int width, int height) {
  return dim3(blocks_for(width, kTuning.block_x), blocks_for(height, kTuning.block_y));
}

// Elements left and right of, above and below a place, borders repeated.
struct Neighbours {
  int left, right, above, below;
};
template <class T>
__device__ Neighbours neighbours(const ImageView<T>& image, int x, int y) {
  return {max(x - 1, 0), min(x + 1, image.width - 1), max(y - 1, 0), min(y + 1, image.height - 1)};
}

template <class T, class Difference>
__global__ void gradient_kernel(ImageView<const T> image, ImageView<Difference> dx,
                                ImageView<Difference> dy, detail::KernelWeights weights) {
  const int element = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (element >= image.row_elements() || y >= image.height) return;
  const int x = image.channels == 1 ? element : element / image.channels;
  const int channel = element - x * image.channels;
  const Neighbours n = neighbours(image, x, y);
  const auto pixel = [&](int px, int py) {
    return static_cast<Difference>(image.at(px, py, channel));
  };
  const auto smooth = [&](int px) {
    return (pixel(px, n.above) + pixel(px, n.below)) * weights.side + pixel(px, y) * weights.centre;
  };
  const auto difference = [&](int px) { return pixel(px, n.below) - pixel(px, n.above); };
  dx.row(y)[element] = static_cast<Difference>(smooth(n.right) - smooth(n.left));
  dy.row(y)[element] = static_cast<Difference>(
      (difference(n.left) + difference(n.right)) * weights.side + difference(x) * weights.centre);
}

template <class T>
__global__ void polar_gradient_kernel(ImageView<const T> image, ImageView<float> magnitude,
                                      ImageView<std::uint8_t> bin, detail::PolarParams params) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= image.width || y >= image.height) return;
  const Neighbours n = neighbours(image, x, y);
  float best_dx = 0, best_dy = 0, best = 0;
  for (int c = 0; c < image.channels; ++c) {
    const float dx =
        static_cast<float>(image.at(n.right, y, c)) - static_cast<float>(image.at(n.left, y, c));
    const float dy =
        static_cast<float>(image.at(x, n.below, c)) - static_cast<float>(image.at(x, n.above, c));
    const float square = dx * dx + dy * dy;
    if (square > best) best_dx = dx, best_dy = dy, best = square;
  }
  magnitude.at(x, y) = sqrtf(best);
  bin.at(x, y) = static_cast<std::uint8_t>(detail::orientation_bin(best_dx, best_dy, params));
}

}  // namespace

template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<Difference> out_dx(session, dx), out_dy(session, dy);
  gradient_kernel<<<grid_for(image.row_elements(), image.height), block_shape(), 0,
                    session.stream()>>>(in.image(), out_dx.image(), out_dy.image(),
                                        detail::weights_of(kernel));
  out_dx.fetch();
  out_dy.fetch();
  session.finish("gradient");
}
template void gradient(ImageView<const std::uint8_t>, ImageView<std::int16_t>,
                       ImageView<std::int16_t>, GradientKernel, const Exec&);
template void gradient(ImageView<const float>, ImageView<float>, ImageView<float>, GradientKernel,
                       const Exec&);

template <class T>
void polar_gradient(ImageView<const T> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params,
                    const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<float> out_magnitude(session, magnitude);
  OnDevice<std::uint8_t> out_bin(session, bin);
  polar_gradient_kernel<<<grid_for(image.width, image.height), block_shape(), 0,
                          session.stream()>>>(in.image(), out_magnitude.image(), out_bin.image(),
                                              params);
  out_magnitude.fetch();
  out_bin.fetch();
  session.finish("polar_gradient");
}
template void polar_gradient(ImageView<const std::uint8_t>, ImageView<float>,
                             ImageView<std::uint8_t>, const detail::PolarParams&, const Exec&);
template void polar_gradient(ImageView<const float>, ImageView<float>, ImageView<std::uint8_t>,
                             const detail::PolarParams&, const Exec&);

}  // namespace fovea::cuda
