// CUDA twin of the Gaussian halving. A block sums five rows at a time into shared memory, with one
// warp per output row, and then sums along the row. A source pixel is read two or three times, from
// the first-level cache after the first time.
#include <deque>

#include "core/on_device.cuh"
#include "ops/convolve/convolve_math.h"
#include "ops/pyramid/backend.h"
#include "ops/pyramid/pyramid_math.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int elements = 64;  // elements of an output row that a block computes
  int rows = 8;       // output rows of a block, one warp per row
} kTuning;
// Source elements under these outputs: two pixels per output and two taps on either side, for at
// most four channels.
constexpr int kMostColumns = 2 * kTuning.elements + 7 * 4;

template <class T>
__global__ void halve_kernel(ImageView<const T> image, ImageView<T> out) {
  using Sum = detail::HalveSum<T>;
  __shared__ Sum sums[kTuning.rows][kMostColumns];
  const int channels = image.channels, lane = threadIdx.x, row = threadIdx.y;
  const int first_element = blockIdx.x * kTuning.elements;
  const int last_element = min(first_element + kTuning.elements, out.row_elements()) - 1;
  const int first_x = first_element / channels, last_x = last_element / channels;
  const int y = block_row() * kTuning.rows + row;
  const auto mirrored = [](int i, int size) {
    return detail::border_index(i, size, Border::kReflect101);
  };

  if (y < out.height) {
    const T* from[5];
#pragma unroll
    for (int k = 0; k < 5; ++k) from[k] = image.row(mirrored(2 * y + k - 2, image.height));
    const int columns = (2 * (last_x - first_x) + 5) * channels;
    for (int i = lane; i < columns; i += 32) {
      const int pixel = i / channels, channel = i - pixel * channels;
      const int at = mirrored(2 * first_x - 2 + pixel, image.width) * channels + channel;
      const Sum outer = static_cast<Sum>(from[0][at]) + static_cast<Sum>(from[4][at]);
      const Sum inner = static_cast<Sum>(from[1][at]) + static_cast<Sum>(from[3][at]);
      sums[row][i] = detail::five_taps(outer, inner, static_cast<Sum>(from[2][at]));
    }
  }
  __syncthreads();
  if (y >= out.height) return;
  for (int element = first_element + lane; element <= last_element; element += 32) {
    const int x = element / channels, channel = element - x * channels;
    const Sum* tap = &sums[row][2 * (x - first_x) * channels + channel];
    const Sum outer = tap[0] + tap[4 * channels], inner = tap[channels] + tap[3 * channels];
    out.row(y)[element] =
        detail::halved_pixel<T>(detail::five_taps(outer, inner, tap[2 * channels]));
  }
}

}  // namespace

template <class T>
void gaussian_halve(ImageView<const T> image, std::span<const ImageView<T>> outs,
                    const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  std::deque<OnDevice<T>> levels;
  ImageView<const T> source = in.image();
  for (const ImageView<T>& out : outs) {
    const ImageView<T> target = levels.emplace_back(session, out).image();
    const dim3 grid = tall_grid(blocks_for(target.row_elements(), kTuning.elements),
                                blocks_for(target.height, kTuning.rows));
    halve_kernel<<<grid, dim3(32, kTuning.rows), 0, session.stream()>>>(source, target);
    check_launch("gaussian_halve");
    source = target;
  }
  for (OnDevice<T>& level : levels) level.fetch();
  session.finish("gaussian_halve");
}
template void gaussian_halve(ImageView<const std::uint8_t>,
                             std::span<const ImageView<std::uint8_t>>, const Exec&);
template void gaussian_halve(ImageView<const float>, std::span<const ImageView<float>>,
                             const Exec&);

}  // namespace fovea::cuda
