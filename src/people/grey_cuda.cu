#include "people/grey_cuda.cuh"

namespace fovea::people::cuda {
namespace {

constexpr int kThreads = 128;

__global__ void grey_kernel(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int y = fovea::cuda::block_row();
  if (x >= image.width || y >= image.height) return;
  const std::uint8_t* rgb = &image.at(x, y);
  out.at(x, y) =
      static_cast<std::uint8_t>((299U * rgb[0] + 587U * rgb[1] + 114U * rgb[2] + 500U) / 1000U);
}

}  // namespace

ImageView<const std::uint8_t> GreyImage::convert(Session& session,
                                                 ImageView<const std::uint8_t> image) {
  const auto elements = static_cast<std::size_t>(image.width) * image.height;
  const auto out =
      packed_view(pixels_.reserve(elements), image.width, image.height, 1, Memory::kCuda);
  const dim3 grid = fovea::cuda::tall_grid(fovea::cuda::blocks_for(image.width, kThreads),
                                           static_cast<unsigned>(image.height));
  grey_kernel<<<grid, kThreads, 0, session.stream()>>>(image, out);
  check_launch("grey");
  return out;
}

}  // namespace fovea::people::cuda
