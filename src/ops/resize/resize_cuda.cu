// CUDA twin of the resize. A thread computes one column of a few output rows, so that its position
// along x is found once; neighbors come from the first-level cache. Several outputs and all images
// of a stack share one launch, and a block finds its output by its number.
#include <algorithm>
#include <deque>

#include "core/on_device.cuh"
#include "ops/resize/area_taps.h"
#include "ops/resize/backend.h"
#include "ops/resize/resize_math.h"

namespace fovea::cuda {
namespace {

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row, so that loads and stores coalesce
  int rows = 4;                   // rows per thread, block_y apart
  int targets = 32;               // outputs per launch; their descriptions are kernel arguments
} kTuning;

// Weights of one direction of one output, in device memory.
struct DeviceTaps {
  const int* first;
  const int* begin;
  const float* weight;
};

template <class T>
struct Target {
  StackView<T> out;
  double scale_x, scale_y;
  unsigned first_block, blocks_x, blocks_y;
  DeviceTaps columns, rows;  // for the anti-aliased kernel only
};
template <class T>
struct Targets {
  int count;
  Target<T> target[kTuning.targets];
};

// What a thread works on: an element and its first row in one image of one output.
struct Place {
  int target, image, element, y;
};
template <class T>
__device__ Place find_place(const Targets<T>& targets) {
  int t = 0;
  while (t + 1 < targets.count && blockIdx.x >= targets.target[t + 1].first_block) ++t;
  const Target<T>& target = targets.target[t];
  const unsigned local = blockIdx.x - target.first_block;
  const unsigned row = local / target.blocks_x, column = local % target.blocks_x;
  return {t, static_cast<int>(row / target.blocks_y),
          static_cast<int>(column * kTuning.block_x + threadIdx.x),
          static_cast<int>(row % target.blocks_y * (kTuning.block_y * kTuning.rows) + threadIdx.y)};
}

template <class T>
__device__ void halve(ImageView<const T> image, ImageView<T> out, const Place& place) {
  const int left = 2 * place.element - place.element % out.channels, right = left + out.channels;
#pragma unroll
  for (int k = 0; k < kTuning.rows; ++k) {
    const int y = place.y + k * kTuning.block_y;
    if (y >= out.height) return;
    const T *above = image.row(2 * y), *below = image.row(2 * y + 1);
    out.row(y)[place.element] =
        detail::mean_of_four(above[left], above[right], below[left], below[right]);
  }
}

template <class T>
__global__ void bilinear_kernel(StackView<const T> in, const __grid_constant__ Targets<T> targets) {
  using Bilinear = detail::Bilinear<T>;
  const Place place = find_place(targets);
  const Target<T>& target = targets.target[place.target];
  const ImageView<T> out = target.out.plane(place.image);
  const ImageView<const T> image = in.plane(place.image);
  if (place.element >= out.row_elements()) return;
  if (detail::is_half(image, out)) return halve(image, out, place);
  const int x = place.element / out.channels, channel = place.element % out.channels;
  const auto tap_x = Bilinear::tap(x, target.scale_x, image.width);
  const int left = tap_x.index * out.channels + channel;
  const int right = Bilinear::next(tap_x, image.width) * out.channels + channel;
#pragma unroll
  for (int k = 0; k < kTuning.rows; ++k) {
    const int y = place.y + k * kTuning.block_y;
    if (y >= out.height) return;
    const auto tap_y = Bilinear::tap(y, target.scale_y, image.height);
    out.row(y)[place.element] =
        Bilinear::sample(image.row(tap_y.index), image.row(Bilinear::next(tap_y, image.height)),
                         left, right, tap_x, tap_y);
  }
}

// Sums down a column and then along the row, as the CPU twin does.
template <class T>
__global__ void area_kernel(StackView<const T> in, const __grid_constant__ Targets<T> targets) {
  const Place place = find_place(targets);
  const Target<T>& target = targets.target[place.target];
  const ImageView<T> out = target.out.plane(place.image);
  const ImageView<const T> image = in.plane(place.image);
  if (place.element >= out.row_elements()) return;
  const int x = place.element / out.channels, channel = place.element % out.channels;
  const int x_begin = target.columns.begin[x], x_end = target.columns.begin[x + 1];
  for (int k = 0; k < kTuning.rows; ++k) {
    const int y = place.y + k * kTuning.block_y;
    if (y >= out.height) return;
    const int y_begin = target.rows.begin[y], y_end = target.rows.begin[y + 1];
    const T* from = &image.at(target.columns.first[x], target.rows.first[y], channel);
    float sum = 0;
    for (int i = x_begin; i < x_end; ++i, from += out.channels) {
      const T* pixel = from;
      float column = 0;
      for (int j = y_begin; j < y_end; ++j, pixel += image.stride)
        column += target.rows.weight[j] * static_cast<float>(*pixel);
      sum += target.columns.weight[i] * column;
    }
    out.row(y)[place.element] = detail::from_float<T>(sum);
  }
}

// Keeps weights on the device during its lifetime.
class UploadedTaps {
 public:
  UploadedTaps(const detail::AreaTaps& taps, cudaStream_t stream)
      : first_(taps.first.size(), stream),
        begin_(taps.begin.size(), stream),
        weight_(taps.weight.size(), stream) {
    first_.fill(taps.first.data());
    begin_.fill(taps.begin.data());
    weight_.fill(taps.weight.data());
  }
  DeviceTaps view() const { return {first_.data(), begin_.data(), weight_.data()}; }

 private:
  DeviceBuffer<int> first_, begin_;
  DeviceBuffer<float> weight_;
};

template <class T>
void launch(Session& session, StackView<const T> in, const std::deque<OnDevice<T>>& outs,
            std::size_t first, bool antialias) {
  Targets<T> targets{};
  std::deque<UploadedTaps> taps;
  unsigned blocks = 0;
  for (std::size_t i = first; i < outs.size() && targets.count < kTuning.targets; ++i) {
    const StackView<T> out = outs[i].stack();
    Target<T>& target = targets.target[targets.count++];
    target = {.out = out,
              .scale_x = static_cast<double>(in.width) / out.width,
              .scale_y = static_cast<double>(in.height) / out.height,
              .first_block = blocks,
              .blocks_x =
                  blocks_for(static_cast<std::int64_t>(out.width) * out.channels, kTuning.block_x),
              .blocks_y = blocks_for(out.height, kTuning.block_y * kTuning.rows),
              .columns = {},
              .rows = {}};
    blocks += target.blocks_x * target.blocks_y * static_cast<unsigned>(out.count);
    if (!antialias) continue;
    target.columns =
        taps.emplace_back(detail::area_taps(in.width, out.width), session.stream()).view();
    target.rows =
        taps.emplace_back(detail::area_taps(in.height, out.height), session.stream()).view();
  }
  const dim3 block(kTuning.block_x, kTuning.block_y);
  if (antialias) area_kernel<<<blocks, block, 0, session.stream()>>>(in, targets);
  else bilinear_kernel<<<blocks, block, 0, session.stream()>>>(in, targets);
  check_launch("resize");
}

}  // namespace

template <class T>
void resize(StackView<const T> in, std::span<const StackView<T>> outs, bool antialias,
            const Exec& exec) {
  Session session(exec);
  OnDevice<const T> source(session, in);
  std::deque<OnDevice<T>> targets;
  for (const StackView<T>& out : outs) targets.emplace_back(session, out);
  for (std::size_t first = 0; first < targets.size(); first += kTuning.targets)
    launch(session, source.stack(), targets, first, antialias);
  for (OnDevice<T>& target : targets) target.fetch();
  session.finish("resize");
}
template void resize(StackView<const std::uint8_t>, std::span<const StackView<std::uint8_t>>, bool,
                     const Exec&);
template void resize(StackView<const std::uint16_t>, std::span<const StackView<std::uint16_t>>,
                     bool, const Exec&);
template void resize(StackView<const float>, std::span<const StackView<float>>, bool, const Exec&);

}  // namespace fovea::cuda
