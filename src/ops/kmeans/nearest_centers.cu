#include "ops/kmeans/nearest_centers.cuh"

#include <algorithm>
#include <vector>

namespace fovea::cuda {
namespace {

constexpr int kPrepareThreads = 128;

// Called by one block: the mean of some centers, which represents all of them.
__global__ void origin_kernel(CentersMemory centers) {
  constexpr int kMost = 64;
  const int step = (centers.centers + kMost - 1) / kMost;
  const int count = (centers.centers + step - 1) / step;
  for (int i = static_cast<int>(threadIdx.x); i < centers.pitch;
       i += static_cast<int>(blockDim.x)) {
    float sum = 0;
#pragma unroll 8
    for (int c = 0; c < count; ++c)
      sum += centers.numbers[static_cast<std::ptrdiff_t>(c) * step * centers.pitch + i];
    centers.origin[i] = sum / static_cast<float>(count);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float squares = 0;
  for (int i = 0; i < centers.pitch; ++i)
    squares = fmaf(centers.origin[i], centers.origin[i], squares);
  centers.origin[centers.pitch] = sqrtf(squares) * 1.001F;
}

__global__ void prepare_kernel(CentersMemory centers) {
  prepare_group(centers, static_cast<int>(blockIdx.x));
}

std::size_t group_count(int centers) {
  return static_cast<std::size_t>(detail::nearest::groups_of(centers));
}

}  // namespace

void prepare_centers(const CentersMemory& centers, cudaStream_t stream) {
  check(cudaMemsetAsync(centers.most_half, 0, sizeof(float), stream), "preparing centers");
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
  halves_ = Array<float>(rows + 1, Memory::kCuda);
  const bool by_tensor_cores = dimensions <= kMostTensorDimensions;
  if (by_tensor_cores)
    origin_ = Array<float>(static_cast<std::size_t>(memory_.pitch) + 1, Memory::kCuda);
  if (by_tensor_cores)
    groups_ = Array<std::uint32_t>(
        group_count(centers) * static_cast<std::size_t>(group_words(steps)), Memory::kCuda);
  memory_.numbers = numbers_.data();
  memory_.halves = halves_.data();
  memory_.groups = by_tensor_cores ? groups_.data() : nullptr;
  memory_.origin = by_tensor_cores ? origin_.data() : nullptr;
  memory_.most_half = halves_.data() + rows;
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
