#include "ops/kmeans/nearest_centers.cuh"

#include <algorithm>
#include <vector>

namespace fovea::cuda {
namespace {

constexpr int kPrepareThreads = 128;

// Called by one block: the mean of some centers and a scale for their numbers. They represent all
// centers. Where all are near the origin, its numbers tell how large those of points may be.
__global__ void origin_kernel(CentersMemory centers) {
  __shared__ float largest;
  constexpr int kMost = 64;
  const int step = (centers.centers + kMost - 1) / kMost;
  const int count = (centers.centers + step - 1) / step;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < centers.pitch;
       i += static_cast<int>(blockDim.x)) {
    const auto number = [&](int c) {
      return centers.numbers[static_cast<std::ptrdiff_t>(c) * step * centers.pitch + i];
    };
    float sum = 0, most = 0;
#pragma unroll 8
    for (int c = 0; c < count; ++c) sum += number(c);
    const float mean = sum / static_cast<float>(count);
#pragma unroll 8
    for (int c = 0; c < count; ++c) most = fmaxf(most, fabsf(number(c) - mean));
    centers.origin[i] = mean;
    raise_to(&largest, fmaxf(most, fabsf(mean) * 0x1p-8F));
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const float scale = detail::nearest::scale_for(largest);
  float squares = 0;
  for (int i = 0; i < centers.pitch; ++i) {
    const float number = centers.origin[i] * scale;
    squares = fmaf(number, number, squares);
  }
  *centers.frame = {scale, sqrtf(squares) * 1.001F + 0x1p-70F};  // squares underflow
}

__global__ void prepare_kernel(CentersMemory centers) {
  prepare_group(centers, static_cast<int>(blockIdx.x));
}

std::size_t group_count(int centers) {
  return static_cast<std::size_t>(detail::nearest::groups_of(centers));
}

}  // namespace

void prepare_centers(const CentersMemory& centers, cudaStream_t stream) {
  check(cudaMemsetAsync(centers.bounds, 0, sizeof(*centers.bounds), stream), "preparing centers");
  if (centers.origin != nullptr) origin_kernel<<<1, kPrepareThreads, 0, stream>>>(centers);
  prepare_kernel<<<static_cast<unsigned>(group_count(centers.centers)), kPrepareThreads, 0,
                   stream>>>(centers);
  check_launch("preparing centers");
}

DeviceCenters::DeviceCenters(int centers, int dimensions) {
  using namespace detail::nearest;
  const int steps = steps_of(dimensions);
  const std::size_t rows = group_count(centers) * kGroup;
  memory_.centers = centers;
  memory_.dimensions = dimensions;
  memory_.pitch = steps * kStep;
  numbers_ = Array<float>(rows * static_cast<std::size_t>(memory_.pitch), Memory::kCuda);
  halves_ = Array<float>(rows, Memory::kCuda);
  bounds_ = Array<CenterBounds>(1, Memory::kCuda);
  const bool by_tensor_cores = dimensions <= kMostTensorDimensions;
  if (by_tensor_cores) {
    origin_ = Array<float>(static_cast<std::size_t>(memory_.pitch), Memory::kCuda);
    frame_ = Array<Frame>(1, Memory::kCuda);
    groups_ = Array<std::uint32_t>(
        group_count(centers) * static_cast<std::size_t>(group_words(steps)), Memory::kCuda);
  }
  memory_.numbers = numbers_.data();
  memory_.halves = halves_.data();
  memory_.groups = by_tensor_cores ? groups_.data() : nullptr;
  memory_.origin = by_tensor_cores ? origin_.data() : nullptr;
  memory_.frame = by_tensor_cores ? frame_.data() : nullptr;
  memory_.bounds = bounds_.data();
}

DeviceCenters::DeviceCenters(ImageView<const float> centers, cudaStream_t stream)
    : DeviceCenters(centers.height, centers.row_elements()) {
  const auto pitch = static_cast<std::size_t>(memory_.pitch);
  std::vector<float> rows(numbers_.size());
  for (int c = 0; c < centers.height; ++c)
    std::copy_n(centers.row(c), memory_.dimensions,
                rows.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * pitch));
  upload(memory_.numbers, rows.data(), rows.size() * sizeof(float), stream);
  prepare_centers(memory_, stream);
}

}  // namespace fovea::cuda
