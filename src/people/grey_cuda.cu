#include "people/grey_cuda.cuh"

#include "people/cascade/cascade_math.h"

namespace fovea::people::cuda {
namespace {

constexpr int kThreads = 128;

struct Luma {
  __device__ unsigned operator()(const std::uint8_t* rgb) const {
    return (299U * rgb[0] + 587U * rgb[1] + 114U * rgb[2] + 500U) / 1000U;
  }
};
struct CascadeGrey {
  __device__ unsigned operator()(const std::uint8_t* rgb) const {
    return cascade::grey(rgb[0], rgb[1], rgb[2]);
  }
};

template <class Grey>
__global__ void grey_kernel(ImageView<const std::uint8_t> image, ImageView<std::uint8_t> out,
                            Grey grey) {
  const int x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int y = fovea::cuda::block_row();
  if (x >= image.width || y >= image.height) return;
  out.at(x, y) = static_cast<std::uint8_t>(grey(&image.at(x, y)));
}

}  // namespace

template <class Grey>
ImageView<const std::uint8_t> GreyImage::convert_by(Session& session,
                                                    ImageView<const std::uint8_t> image,
                                                    Grey grey) {
  const auto elements = static_cast<std::size_t>(image.width) * image.height;
  const auto out =
      packed_view(pixels_.reserve(elements), image.width, image.height, 1, Memory::kCuda);
  const dim3 grid = fovea::cuda::tall_grid(fovea::cuda::blocks_for(image.width, kThreads),
                                           static_cast<unsigned>(image.height));
  grey_kernel<<<grid, kThreads, 0, session.stream()>>>(image, out, grey);
  check_launch("grey");
  return out;
}

ImageView<const std::uint8_t> GreyImage::convert(Session& session,
                                                 ImageView<const std::uint8_t> image) {
  return convert_by(session, image, Luma{});
}

ImageView<const std::uint8_t> GreyImage::convert_fast(Session& session,
                                                      ImageView<const std::uint8_t> image) {
  return convert_by(session, image, CascadeGrey{});
}

}  // namespace fovea::people::cuda
