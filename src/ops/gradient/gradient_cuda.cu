// CUDA twin of the gradient. A thread computes a column of small blocks, four pixels wide, and
// keeps the three rows that it needs in registers: each thread reads a row once, four pixels at a
// time.
#include "core/on_device.cuh"
#include "core/pack.cuh"
#include "ops/gradient/backend.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int pixels = 4;  // neighboring pixels of a row per thread, so that bytes are loaded as words
  int rows = 4;    // rows per thread: six rows are read for four that are written
  int block_x = 32, block_y = 4;
} kTuning;

// Pixels x - 1 to x + 4 of a row, with border pixels repeated, converted to the type of the
// computation.
template <class T, int kChannels>
struct Segment {
  T left[kChannels];
  Pack<T, kTuning.pixels * kChannels> inner;
  T right[kChannels];

  __device__ void load(const ImageView<const T>& image, int x, int y, bool packed) {
    const T* row = image.row(min(max(y, 0), image.height - 1));
    const int last = image.width - 1;
    if (packed && x + kTuning.pixels <= image.width) {
      inner = *reinterpret_cast<const decltype(inner)*>(row +
                                                        static_cast<std::ptrdiff_t>(x) * kChannels);
    } else {
#pragma unroll
      for (int i = 0; i < kTuning.pixels; ++i)
#pragma unroll
        for (int c = 0; c < kChannels; ++c)
          inner.v[i * kChannels + c] =
              row[static_cast<std::ptrdiff_t>(min(x + i, last)) * kChannels + c];
    }
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      left[c] = row[static_cast<std::ptrdiff_t>(max(x - 1, 0)) * kChannels + c];
      right[c] = row[static_cast<std::ptrdiff_t>(min(x + kTuning.pixels, last)) * kChannels + c];
    }
  }
  // Element i of the inner pixels; the channels to the left of them have negative indices.
  template <class Number>
  __device__ Number at(int i) const {
    if (i < 0) return static_cast<Number>(left[i + kChannels]);
    if (i >= kTuning.pixels * kChannels)
      return static_cast<Number>(right[i - kTuning.pixels * kChannels]);
    return static_cast<Number>(inner.v[i]);
  }
};

// Calls body(y, above, center, below) for the rows of this thread.
template <class T, int kChannels, class Body>
__device__ void for_each_row(const ImageView<const T>& image, bool packed, const Body& body) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * kTuning.pixels;
  if (x >= image.width) return;
  const int strips = (image.height + kTuning.rows - 1) / kTuning.rows;
  for (int strip = blockIdx.y * blockDim.y + threadIdx.y; strip < strips;
       strip += gridDim.y * blockDim.y) {
    const int first = strip * kTuning.rows;
    Segment<T, kChannels> above, center, below;
    above.load(image, x, first - 1, packed);
    center.load(image, x, first, packed);
#pragma unroll
    for (int r = 0; r < kTuning.rows; ++r) {
      if (first + r >= image.height) break;
      below.load(image, x, first + r + 1, packed);
      body(x, first + r, above, center, below);
      above = center;
      center = below;
    }
  }
}

// Writes a pack, or the part of it that lies inside the row.
template <class T, int kCount>
__device__ void store(T* row, int element, int elements, const Pack<T, kCount>& pack, bool packed) {
  if (packed && element + kCount <= elements) {
    *reinterpret_cast<Pack<T, kCount>*>(row + element) = pack;
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i)
    if (element + i < elements) row[element + i] = pack.v[i];
}

template <GradientKernel kKernel, class Number>
__device__ Number weighted(Number outer, Number inner) {
  if constexpr (kKernel == GradientKernel::kCentered) return inner;
  constexpr auto kWeights = detail::weights_of(kKernel);
  return static_cast<Number>(outer * kWeights.side + inner * kWeights.center);
}

template <GradientKernel kKernel, int kChannels, class T, class Difference>
__global__ void gradient_kernel(ImageView<const T> image, ImageView<Difference> dx,
                                ImageView<Difference> dy, bool packed_in, bool packed_out) {
  constexpr int kCount = kTuning.pixels * kChannels;
  using Row = Segment<T, kChannels>;
  using Number = decltype(Difference{} + Difference{});
  for_each_row<T, kChannels>(
      image, packed_in, [&](int x, int y, const Row& above, const Row& center, const Row& below) {
        const auto smooth = [&](int i) {
          return weighted<kKernel>(above.template at<Number>(i) + below.template at<Number>(i),
                                   center.template at<Number>(i));
        };
        const auto difference = [&](int i) {
          return below.template at<Number>(i) - above.template at<Number>(i);
        };
        Pack<Difference, kCount> along, down;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          along.v[i] = static_cast<Difference>(smooth(i + kChannels) - smooth(i - kChannels));
          down.v[i] = static_cast<Difference>(weighted<kKernel>(
              difference(i - kChannels) + difference(i + kChannels), difference(i)));
        }
        store(dx.row(y), x * kChannels, dx.row_elements(), along, packed_out);
        store(dy.row(y), x * kChannels, dy.row_elements(), down, packed_out);
      });
}

template <int kChannels, class T>
__global__ void polar_gradient_kernel(ImageView<const T> image, ImageView<float> magnitude,
                                      ImageView<std::uint8_t> bin, detail::PolarParams params,
                                      bool packed_in, bool packed_out) {
  using Row = Segment<T, kChannels>;
  for_each_row<T, kChannels>(
      image, packed_in, [&](int x, int y, const Row& above, const Row& center, const Row& below) {
        Pack<float, kTuning.pixels> lengths;
        Pack<std::uint8_t, kTuning.pixels> bins;
#pragma unroll
        for (int i = 0; i < kTuning.pixels; ++i) {
          float best_dx = 0, best_dy = 0, best = 0;
#pragma unroll
          for (int c = 0; c < kChannels; ++c) {
            const int e = i * kChannels + c;
            const float dx =
                center.template at<float>(e + kChannels) - center.template at<float>(e - kChannels);
            const float dy = below.template at<float>(e) - above.template at<float>(e);
            const float square = dx * dx + dy * dy;
            if (square > best) best_dx = dx, best_dy = dy, best = square;
          }
          lengths.v[i] = sqrtf(best);
          bins.v[i] = static_cast<std::uint8_t>(detail::orientation_bin(best_dx, best_dy, params));
        }
        store(magnitude.row(y), x, magnitude.width, lengths, packed_out);
        store(bin.row(y), x, bin.width, bins, packed_out);
      });
}

struct Launch {
  dim3 grid, block;
};
Launch launch_for(int width, int height) {
  constexpr unsigned kMostBlocksDown = 65535;  // the loop over strips reaches further rows
  const unsigned down = blocks_for(height, kTuning.rows * kTuning.block_y);
  return {dim3(blocks_for(width, kTuning.pixels * kTuning.block_x),
               down < kMostBlocksDown ? down : kMostBlocksDown),
          dim3(kTuning.block_x, kTuning.block_y)};
}

// Calls body with the number of channels as a compile-time constant.
template <class Body>
void with_channels(int channels, const Body& body) {
  switch (channels) {
    case 1: return body(std::integral_constant<int, 1>());
    case 2: return body(std::integral_constant<int, 2>());
    case 3: return body(std::integral_constant<int, 3>());
    default: return body(std::integral_constant<int, 4>());
  }
}

template <GradientKernel kKernel, class T, class Difference>
void launch_gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
                     cudaStream_t stream) {
  const auto [grid, block] = launch_for(image.width, image.height);
  with_channels(image.channels, [&, grid = grid, block = block](auto channels) {
    constexpr int kChannels = channels();
    constexpr int kCount = kTuning.pixels * kChannels;
    gradient_kernel<kKernel, kChannels><<<grid, block, 0, stream>>>(
        image, dx, dy, packs_fit<T, kCount>(image),
        packs_fit<Difference, kCount>(dx) && packs_fit<Difference, kCount>(dy));
  });
}

}  // namespace

template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> in(session, image);
  OnDevice<Difference> out_dx(session, dx), out_dy(session, dy);
  const auto run = [&](auto chosen) {
    launch_gradient<chosen()>(in.image(), out_dx.image(), out_dy.image(), session.stream());
  };
  using Kernel = GradientKernel;
  switch (kernel) {
    case Kernel::kCentered: run(std::integral_constant<Kernel, Kernel::kCentered>()); break;
    case Kernel::kSobel: run(std::integral_constant<Kernel, Kernel::kSobel>()); break;
    case Kernel::kScharr: run(std::integral_constant<Kernel, Kernel::kScharr>()); break;
  }
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
  const auto [grid, block] = launch_for(image.width, image.height);
  with_channels(image.channels, [&, grid = grid, block = block](auto channels) {
    constexpr int kChannels = channels();
    polar_gradient_kernel<kChannels><<<grid, block, 0, session.stream()>>>(
        in.image(), out_magnitude.image(), out_bin.image(), params,
        packs_fit<T, kTuning.pixels * kChannels>(in.image()),
        packs_fit<float, kTuning.pixels>(out_magnitude.image()) &&
            packs_fit<std::uint8_t, kTuning.pixels>(out_bin.image()));
  });
  out_magnitude.fetch();
  out_bin.fetch();
  session.finish("polar_gradient");
}
template void polar_gradient(ImageView<const std::uint8_t>, ImageView<float>,
                             ImageView<std::uint8_t>, const detail::PolarParams&, const Exec&);
template void polar_gradient(ImageView<const float>, ImageView<float>, ImageView<std::uint8_t>,
                             const detail::PolarParams&, const Exec&);

}  // namespace fovea::cuda
