#include "people/gray_cuda.cuh"

#include "core/rgb.h"
#include "people/cascade/cascade_math.h"

namespace fovea::people::cuda {
namespace {

constexpr int kThreads = 128;

struct Luma {
  __device__ int operator()(const std::uint8_t* rgb) const {
    return fovea::detail::luma(rgb[0], rgb[1], rgb[2]);
  }
};
struct CascadeGray {
  __device__ unsigned operator()(const std::uint8_t* rgb) const {
    return cascade::gray(rgb[0], rgb[1], rgb[2]);
  }
};

template <class Gray>
__global__ void gray_kernel(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                            Gray gray) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int y = fovea::cuda::block_row();
  if (x >= image.width || y >= image.height) return;
  out.at(x, y) = static_cast<std::uint8_t>(gray(&image.at(x, y)));
}

}  // namespace

template <class Gray>
ImageView<const std::uint8_t> GrayImage::convert_by(Session& session,
                                                    ImageView<const std::uint8_t> image,
                                                    Gray gray) {
  const auto elements = static_cast<std::size_t>(image.width) * image.height;
  const auto out =
      packed_view(pixels_.reserve(elements), image.width, image.height, 1, Memory::kCuda);
  const dim3 grid = fovea::cuda::tall_grid(fovea::cuda::blocks_for(image.width, kThreads),
                                           static_cast<unsigned>(image.height));
  gray_kernel<<<grid, kThreads, 0, session.stream()>>>(image, out, gray);
  check_launch("gray");
  return out;
}

ImageView<const std::uint8_t> GrayImage::convert(Session& session,
                                                 ImageView<const std::uint8_t> image) {
  return convert_by(session, image, Luma{});
}

ImageView<const std::uint8_t> GrayImage::convert_fast(Session& session,
                                                      ImageView<const std::uint8_t> image) {
  return convert_by(session, image, CascadeGray{});
}

}  // namespace fovea::people::cuda
