// CUDA twin of the grey conversion, equal to the CPU's to the bit.
#include <algorithm>
#include <bit>
#include <limits>

#include "flow/grey.h"
#include "flow/grey_math.h"
#include "flow/lk/kernels_cuda.cuh"
#include "flow/matcher.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr struct {
  int block_x = 32, block_y = 8;  // a warp a row
  int strip_rows = 256;           // of a coarse level, made at a time
  int cut_rows = 4;               // around them, which feel where the strip was cut
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

dim3 grid_over(int width, int height) {
  const auto blocks = [](int size, int step) {
    return static_cast<unsigned>((size + step - 1) / step);
  };
  return {blocks(width, kTuning.block_x), blocks(height, kTuning.block_y)};
}
__device__ int2 place() {
  return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
          static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y)};
}

// Numbers whose order as integers is that of the floats.
__host__ __device__ int ordered(int bits) { return bits < 0 ? bits ^ 0x7FFFFFFF : bits; }

struct RangeSums {
  int least, most;  // ordered
  std::uint32_t bins[kGreyBins];
};

template <class T>
struct Samples {
  ImageView<const T> image;
  int step;
  __device__ bool at(int2 place, float& value) const {
    const int x = place.x * step, y = place.y * step;
    if (x >= image.width || y >= image.height) return false;
    value = brightness(&image.at(x, y), image.channels);
    return isfinite(value);
  }
};

template <class T>
__global__ void ends_kernel(Samples<T> samples, RangeSums* sums) {
  float value = 0;
  const bool counts = samples.at(place(), value);
  const int bits = ordered(__float_as_int(value));
  const int least = __reduce_min_sync(~0U, counts ? bits : 0x7FFFFFFF);
  const int most = __reduce_max_sync(~0U, counts ? bits : -0x7FFFFFFF - 1);
  if (threadIdx.x != 0) return;
  atomicMin(&sums->least, least);
  atomicMax(&sums->most, most);
}

template <class T>
__global__ void bins_kernel(Samples<T> samples, RangeSums* sums) {
  float value = 0;
  if (!samples.at(place(), value)) return;
  const float least = __int_as_float(ordered(sums->least));
  const float width = __int_as_float(ordered(sums->most)) - least;
  if (!(width > 0) || !isfinite(width)) return;
  atomicAdd(&sums->bins[grey_bin(value, least, (kGreyBins - 1) / width)], 1U);
}

template <class T>
__global__ void grey_kernel(ImageView<const T> image, GreyRange range, ImageView<float> out) {
  const int2 at = place();
  if (at.x >= out.width || at.y >= out.height) return;
  out.at(at.x, at.y) =
      grey_level(brightness(&image.at(at.x, at.y), image.channels), range.low, range.scale);
}

__global__ void coarse_kernel(DeviceGrey grey, int first_row, ImageView<float> out,
                              ImageView<std::uint8_t> mask) {
  const int2 at = place();
  if (at.x >= out.width || at.y >= out.height) return;
  const int value = grey.at(at.x, at.y + first_row);
  const bool counts = value != lk::kNoGrey;
  out.at(at.x, at.y) = counts ? static_cast<float>(value) / lk::kGreyUnits : 0.0F;
  if (mask.data != nullptr) mask.at(at.x, at.y) = counts ? 1 : 0;
}

__global__ void leave_out_kernel(ImageView<const std::uint8_t> mask, FlowView field) {
  const int2 at = place();
  if (at.x >= mask.width || at.y >= mask.height || mask.at(at.x, at.y) != 0) return;
  field.u.at(at.x, at.y) = field.v.at(at.x, at.y) = field.confidence.at(at.x, at.y) = 0;
}

template <class T>
void enqueue_grey(ImageView<const T> image, GreyRange range, ImageView<float> out,
                  cudaStream_t stream) {
  grey_kernel<<<grid_over(out.width, out.height), kThreads, 0, stream>>>(image, range, out);
  check_launch("grey levels of an image");
}

}  // namespace

template <class T>
GreyRange grey_range(ImageView<const T> image, const Exec& exec) {
  if (image.memory != Memory::kCuda) return cpu::grey_range(image, exec);
  Session session(exec);
  session.must_wait();
  const Samples<T> samples{image, sampling_step(image.width, image.height)};
  const dim3 grid = grid_over((image.width + samples.step - 1) / samples.step,
                              (image.height + samples.step - 1) / samples.step);
  DeviceBuffer<RangeSums> sums(1, session.stream());
  RangeSums found{std::numeric_limits<int>::max(), std::numeric_limits<int>::min(), {}};
  sums.set_bytes(0);
  fovea::cuda::upload(sums.data(), &found, 2 * sizeof(int), session.stream());
  ends_kernel<<<grid, kThreads, 0, session.stream()>>>(samples, sums.data());
  check_launch("the range of an image");
  bins_kernel<<<grid, kThreads, 0, session.stream()>>>(samples, sums.data());
  check_launch("the range of an image");
  check(
      cudaMemcpyAsync(&found, sums.data(), sizeof(found), cudaMemcpyDeviceToHost, session.stream()),
      "the range of an image");
  session.finish("flow");
  if (found.least > found.most) return {};
  return range_of_bins(std::bit_cast<float>(ordered(found.least)),
                       std::bit_cast<float>(ordered(found.most)), found.bins);
}

template <class T>
void to_grey(ImageView<const T> image, GreyRange range, ImageView<float> out, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> source(session, image);
  enqueue_grey(source.image(), range, out, session.stream());
  if (image.memory != Memory::kCuda) session.finish("flow");
}

template <class T>
void coarse_grey(ImageView<const T> image, const CoarseGrey& request, const Exec& exec) {
  Session session(exec);
  const int unit = 1 << request.level;
  const bool masked = !request.mask.empty();
  const int most_rows = std::min((kTuning.strip_rows + 2 * kTuning.cut_rows) * unit, image.height);
  const auto size = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(most_rows);
  DeviceBuffer<float> strip(size, session.stream());
  DeviceBuffer<std::uint16_t> greys(2 * size, session.stream());
  for (int y = 0; y < request.out.height; y += kTuning.strip_rows) {
    throw_if_stopped(exec);
    const int top = std::max(y - kTuning.cut_rows, 0);
    const int rows = std::min(kTuning.strip_rows, request.out.height - y);
    const int begin = top * unit;
    const int end = std::min((y + rows + kTuning.cut_rows) * unit, image.height);
    OnDevice<const T> source(session, image.crop(0, begin, image.width, end - begin));
    const auto part = packed_view(strip.data(), image.width, end - begin, 1, Memory::kCuda);
    enqueue_grey(source.image(), request.range, part, session.stream());
    DeviceGrey grey{greys.data(), image.width, end - begin, image.width};
    if (masked) {
      OnDevice<const std::uint8_t> mask(session,
                                        request.mask.crop(0, begin, image.width, end - begin));
      quantise(plane_of(ImageView<const float>(part)), plane_of(mask.image()), grey,
               session.stream());
    } else {
      quantise(plane_of(ImageView<const float>(part)), {}, grey, session.stream());
    }
    for (int k = 0; k < request.level; ++k) {
      const int width = (grey.width + 1) / 2;
      const DeviceGrey half{greys.data() + (k % 2 == 0 ? size : 0), width, (grey.height + 1) / 2,
                            width};
      halve(grey, masked, half, session.stream());
      grey = half;
    }
    const auto out = request.out.crop(0, y, request.out.width, rows);
    const auto mask_out =
        masked ? request.mask_out.crop(0, y, request.out.width, rows) : ImageView<std::uint8_t>{};
    coarse_kernel<<<grid_over(out.width, rows), kThreads, 0, session.stream()>>>(grey, y - top, out,
                                                                                 mask_out);
    check_launch("a coarse level");
  }
  session.finish("flow");
}

void leave_out(ImageView<const std::uint8_t> mask, const FlowView& field, const Exec& exec) {
  Session session(exec);
  leave_out_kernel<<<grid_over(mask.width, mask.height), kThreads, 0, session.stream()>>>(mask,
                                                                                          field);
  check_launch("the mask of a flow");
  session.finish("flow");
}

#define FOVEA_FLOW_GREY(T)                                                             \
  template GreyRange grey_range(ImageView<const T>, const Exec&);                      \
  template void to_grey(ImageView<const T>, GreyRange, ImageView<float>, const Exec&); \
  template void coarse_grey(ImageView<const T>, const CoarseGrey&, const Exec&);
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_GREY)
#undef FOVEA_FLOW_GREY

}  // namespace fovea::flow::cuda
