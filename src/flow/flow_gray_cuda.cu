// CUDA twin of the gray conversion, equal to the CPU's to the bit.
#include <algorithm>
#include <array>

#include "core/launch.cuh"
#include "flow/flow_gray.h"
#include "flow/lk/lucas_kanade_cuda.cuh"
#include "flow/matcher.h"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::grid_over;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;
using fovea::cuda::thread_place;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
  int strip_rows = 32;            // rows of a coarse level that are computed at a time
  int cut_rows = 4;               // rows around them that are influenced by the cut of the strip
  int range_threads = 1024;       // threads of the one block that finds the range of an image
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);

// Integers that have the order of the floats.
__device__ int ordered(float value) {
  const int bits = __float_as_int(value);
  return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}
__device__ float unordered(int bits) { return __int_as_float(bits < 0 ? bits ^ 0x7FFFFFFF : bits); }

template <class T>
struct Samples {
  ImageView<const T> image;
  ImageView<const std::uint8_t> mask;
  int step;
  int values;  // of a pixel: 1 for its brightness, 3 for its colors

  Samples(ImageView<const T> from, ImageView<const std::uint8_t> counting, bool color = false)
      : image(from),
        mask(counting),
        step(sampling_step(from.width, from.height)),
        values(color && from.channels >= 3 ? 3 : 1) {}
  // Calls body with the finite samples of this thread's share, with one warp per row.
  template <class Body>
  __device__ void for_each(const Body& body) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int warps = static_cast<int>(blockDim.x) / 32;
    for (int y = warp * step; y < image.height; y += warps * step) {
      const T* row = image.row(y);
#pragma unroll 4
      for (int x = lane * step; x < image.width; x += 32 * step) {
        if (mask.data != nullptr && mask.at(x, y) == 0) continue;
        const T* pixel = row + x * image.channels;
        for (int c = 0; c < values; ++c) {
          const float value =
              values == 1 ? brightness(pixel, image.channels) : static_cast<float>(pixel[c]);
          if (isfinite(value)) body(value);
        }
      }
    }
  }
};

// The sum over this thread and those before it; every thread of the block takes part.
__device__ std::uint32_t sum_so_far(std::uint32_t value, std::uint32_t* warps) {
  constexpr unsigned kAll = ~0U;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t before = __shfl_up_sync(kAll, value, step);
    if (lane >= step) value += before;
  }
  __syncthreads();
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  std::uint32_t others = lane < warp ? warps[lane] : 0;
  for (int step = 16; step > 0; step /= 2) others += __shfl_xor_sync(kAll, others, step);
  return value + others;
}

// The range of an image, found by one block, because its samples are few.
template <class T>
__global__ void __launch_bounds__(kTuning.range_threads)
    range_kernel(Samples<T> samples, GrayRange* out) {
  __shared__ std::uint32_t bins[kGrayBins];
  __shared__ std::uint32_t warps[kTuning.range_threads / 32];
  __shared__ int least, most, low, high;
  constexpr int kEach = kGrayBins / kTuning.range_threads;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kGrayBins; i += kTuning.range_threads) bins[i] = 0;
  if (thread == 0) {
    least = 0x7FFFFFFF;
    most = -0x7FFFFFFF - 1;
    low = kGrayBins - 1;
    high = 0;
  }
  __syncthreads();
  int own_least = 0x7FFFFFFF, own_most = -0x7FFFFFFF - 1;
  samples.for_each([&](float value) {
    own_least = min(own_least, ordered(value));
    own_most = max(own_most, ordered(value));
  });
  own_least = __reduce_min_sync(~0U, own_least);
  own_most = __reduce_max_sync(~0U, own_most);
  if (thread % 32 == 0) {
    atomicMin(&least, own_least);
    atomicMax(&most, own_most);
  }
  __syncthreads();
  const float first = unordered(least), width = unordered(most) - first;
  if (least > most || !(width > 0) || !isfinite(width)) {
    if (thread == 0) *out = least > most ? GrayRange{} : GrayRange{first, 0};
    return;
  }
  const float per_level = (kGrayBins - 1) / width;
  samples.for_each([&](float value) { atomicAdd(&bins[gray_bin(value, first, per_level)], 1U); });
  __syncthreads();
  std::uint32_t own[kEach], sum = 0;
  for (int k = 0; k < kEach; ++k) sum += own[k] = bins[thread * kEach + k];
  const std::uint32_t upto = sum_so_far(sum, warps);
  __shared__ std::uint32_t all;
  if (thread == kTuning.range_threads - 1) all = upto;
  __syncthreads();
  const std::uint32_t tail = all / kGrayTail;
  // The first bin up to which more than the tail lies, and the last bin from which on more than the
  // tail lies.
  std::uint32_t before = upto - sum;
  for (int k = 0; k < kEach; ++k) {
    const std::uint32_t with = before + own[k];
    if (with > tail) atomicMin(&low, thread * kEach + k);
    if (all - before > tail) atomicMax(&high, thread * kEach + k);
    before = with;
  }
  __syncthreads();
  if (thread == 0) *out = range_between(first, width, low, max(low, high));
}

// The range is read from the device where there is a pointer to it. Channel -1 is the brightness.
template <class T>
__global__ void gray_kernel(ImageView<const T> image, int channel, const GrayRange* found,
                            GrayRange range, ImageView<float> out) {
  const int2 at = thread_place();
  if (at.x >= out.width || at.y >= out.height) return;
  if (found != nullptr) range = *found;
  const T* pixel = &image.at(at.x, at.y);
  const float value = channel < 0 ? brightness(pixel, image.channels)
                                  : static_cast<float>(pixel[image.channels < 3 ? 0 : channel]);
  out.at(at.x, at.y) = gray_level(value, range.low, range.scale);
}

__global__ void coarse_kernel(DeviceGray gray, int first_row, ImageView<float> out,
                              ImageView<std::uint8_t> mask) {
  const int2 at = thread_place();
  if (at.x >= out.width || at.y >= out.height) return;
  const int value = gray.at(at.x, at.y + first_row);
  const bool counts = value != lk::kNoGray;
  out.at(at.x, at.y) = counts ? static_cast<float>(value) / lk::kGrayUnits : 0.0F;
  if (mask.data != nullptr) mask.at(at.x, at.y) = counts ? 1 : 0;
}

__global__ void leave_out_kernel(ImageView<const std::uint8_t> mask, FlowView field) {
  const int2 at = thread_place();
  if (at.x >= mask.width || at.y >= mask.height || mask.at(at.x, at.y) != 0) return;
  field.u.at(at.x, at.y) = field.v.at(at.x, at.y) = field.confidence.at(at.x, at.y) = 0;
}

template <class T>
void enqueue_range(const Samples<T>& samples, GrayRange* out, cudaStream_t stream) {
  range_kernel<<<1, kTuning.range_threads, 0, stream>>>(samples, out);
  check_launch("the range of an image");
}

template <class T>
void enqueue_gray(ImageView<const T> image, int channel, GrayRange range, ImageView<float> out,
                  cudaStream_t stream) {
  gray_kernel<<<grid_over(out.width, out.height, kThreads), kThreads, 0, stream>>>(
      image, channel, nullptr, range, out);
  check_launch("gray levels of an image");
}

template <class T>
GrayRange range_there(ImageView<const T> image, ImageView<const std::uint8_t> mask, bool color,
                      const Exec& exec) {
  Session session(exec);
  session.must_wait();
  OnDevice<const std::uint8_t> counting(session, mask);
  DeviceBuffer<GrayRange> found(1, session.stream());
  enqueue_range(Samples<T>(image, mask.empty() ? mask : counting.image(), color), found.data(),
                session.stream());
  GrayRange range;
  check(cudaMemcpyAsync(&range, found.data(), sizeof(range), cudaMemcpyDeviceToHost,
                        session.stream()),
        "the range of an image");
  session.finish("flow");
  return range;
}

}  // namespace

template <class T>
GrayRange gray_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                     const Exec& exec) {
  if (image.memory != Memory::kCuda) return cpu::gray_range(image, mask, exec);
  return range_there(image, mask, false, exec);
}

template <class T>
GrayRange color_range(ImageView<const T> image, ImageView<const std::uint8_t> mask,
                      const Exec& exec) {
  if (image.memory != Memory::kCuda) return cpu::color_range(image, mask, exec);
  return range_there(image, mask, true, exec);
}

template <class T>
void to_colors(ImageView<const T> image, GrayRange range,
               const std::array<ImageView<float>, 3>& out, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> source(session, image);
  for (int c = 0; c < 3; ++c)
    enqueue_gray(source.image(), c, range, out[static_cast<std::size_t>(c)], session.stream());
  if (image.memory != Memory::kCuda) session.finish("flow");
}

template <class T>
void to_gray(ImageView<const T> image, ImageView<float> out, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> source(session, image);
  DeviceBuffer<GrayRange> found(1, session.stream());
  enqueue_range(Samples<T>(source.image(), {}), found.data(), session.stream());
  gray_kernel<<<grid_over(out.width, out.height, kThreads), kThreads, 0, session.stream()>>>(
      source.image(), -1, found.data(), {}, out);
  check_launch("gray levels of an image");
  if (image.memory != Memory::kCuda) session.finish("flow");
}

template <class T>
void to_gray(ImageView<const T> image, GrayRange range, ImageView<float> out, const Exec& exec) {
  Session session(exec);
  OnDevice<const T> source(session, image);
  enqueue_gray(source.image(), -1, range, out, session.stream());
  if (image.memory != Memory::kCuda) session.finish("flow");
}

template <class T>
void coarse_gray(ImageView<const T> image, const CoarseGray& request, const Exec& exec) {
  Session session(exec);
  const int unit = 1 << request.level;
  const bool masked = !request.mask.empty();
  const int most_rows = std::min((kTuning.strip_rows + 2 * kTuning.cut_rows) * unit, image.height);
  const auto size = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(most_rows);
  DeviceBuffer<float> strip(size, session.stream());
  DeviceBuffer<std::uint16_t> grays(2 * size, session.stream());
  for (int y = 0; y < request.out.height; y += kTuning.strip_rows) {
    throw_if_stopped(exec);
    const int top = std::max(y - kTuning.cut_rows, 0);
    const int rows = std::min(kTuning.strip_rows, request.out.height - y);
    const int begin = top * unit;
    const int end = std::min((y + rows + kTuning.cut_rows) * unit, image.height);
    OnDevice<const T> source(session, image.crop(0, begin, image.width, end - begin));
    const auto part = packed_view(strip.data(), image.width, end - begin, 1, Memory::kCuda);
    enqueue_gray(source.image(), request.channel, request.range, part, session.stream());
    DeviceGray gray{grays.data(), image.width, end - begin, image.width};
    if (masked) {
      OnDevice<const std::uint8_t> mask(session,
                                        request.mask.crop(0, begin, image.width, end - begin));
      quantize(plane_of(ImageView<const float>(part)), plane_of(mask.image()), gray,
               session.stream());
    } else {
      quantize(plane_of(ImageView<const float>(part)), {}, gray, session.stream());
    }
    for (int k = 0; k < request.level; ++k) {
      const int width = (gray.width + 1) / 2;
      const DeviceGray half{grays.data() + (k % 2 == 0 ? size : 0), width, (gray.height + 1) / 2,
                            width};
      halve(gray, masked, half, session.stream());
      gray = half;
    }
    const auto out = request.out.crop(0, y, request.out.width, rows);
    const auto mask_out =
        masked ? request.mask_out.crop(0, y, request.out.width, rows) : ImageView<std::uint8_t>{};
    coarse_kernel<<<grid_over(out.width, rows, kThreads), kThreads, 0, session.stream()>>>(
        gray, y - top, out, mask_out);
    check_launch("a coarse level");
  }
  session.finish("flow");
}

void leave_out(ImageView<const std::uint8_t> mask, const FlowView& field, const Exec& exec) {
  Session session(exec);
  leave_out_kernel<<<grid_over(mask.width, mask.height, kThreads), kThreads, 0, session.stream()>>>(
      mask, field);
  check_launch("the mask of a flow");
  session.finish("flow");
}

FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_GRAY_CUDA)

}  // namespace fovea::flow::cuda
