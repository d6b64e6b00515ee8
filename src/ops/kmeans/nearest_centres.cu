#include "ops/kmeans/nearest_centres.cuh"

#include <algorithm>
#include <vector>

namespace fovea::cuda {
namespace {

constexpr int kPrepareThreads = 128;

// By one block: the mean of some centres, which any others may stand for.
__global__ void origin_kernel(CentresMemory centres) {
  constexpr int kMost = 64;
  const int step = (centres.centres + kMost - 1) / kMost;
  const int count = (centres.centres + step - 1) / step;
  for (int i = static_cast<int>(threadIdx.x); i < centres.pitch;
       i += static_cast<int>(blockDim.x)) {
    float sum = 0;
#pragma unroll 8
    for (int c = 0; c < count; ++c)
      sum += centres.numbers[static_cast<std::ptrdiff_t>(c) * step * centres.pitch + i];
    centres.origin[i] = sum / static_cast<float>(count);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  float squares = 0;
  for (int i = 0; i < centres.pitch; ++i)
    squares = fmaf(centres.origin[i], centres.origin[i], squares);
  centres.origin[centres.pitch] = sqrtf(squares) * 1.001F;
}

__global__ void prepare_kernel(CentresMemory centres) {
  prepare_group(centres, static_cast<int>(blockIdx.x));
}

std::size_t group_count(int centres) {
  return static_cast<std::size_t>(detail::nearest::groups_of(centres));
}

}  // namespace

void prepare_centres(const CentresMemory& centres, cudaStream_t stream) {
  check(cudaMemsetAsync(centres.most_half, 0, sizeof(float), stream), "preparing centres");
  if (centres.origin != nullptr) origin_kernel<<<1, kPrepareThreads, 0, stream>>>(centres);
  prepare_kernel<<<static_cast<unsigned>(group_count(centres.centres)), kPrepareThreads, 0,
                   stream>>>(centres);
  check_launch("preparing centres");
}

DeviceCentres::DeviceCentres(int centres, int dimensions) {
  using namespace detail::nearest;
  const int steps = steps_of(dimensions);
  const std::size_t rows = group_count(centres) * kGroup;
  memory_.centres = centres;
  memory_.dimensions = dimensions;
  memory_.pitch = steps * kStep;
  numbers_ = Array<float>(rows * static_cast<std::size_t>(memory_.pitch), Memory::kCuda);
  halves_ = Array<float>(rows + 1, Memory::kCuda);
  const bool by_tensor_cores = dimensions <= kMostTensorDimensions;
  if (by_tensor_cores)
    origin_ = Array<float>(static_cast<std::size_t>(memory_.pitch) + 1, Memory::kCuda);
  if (by_tensor_cores)
    groups_ = Array<std::uint32_t>(
        group_count(centres) * static_cast<std::size_t>(group_words(steps)), Memory::kCuda);
  memory_.numbers = numbers_.data();
  memory_.halves = halves_.data();
  memory_.groups = by_tensor_cores ? groups_.data() : nullptr;
  memory_.origin = by_tensor_cores ? origin_.data() : nullptr;
  memory_.most_half = halves_.data() + rows;
}

DeviceCentres::DeviceCentres(ImageView<const float> centres, cudaStream_t stream)
    : DeviceCentres(centres.height, centres.row_elements()) {
  const auto pitch = static_cast<std::size_t>(memory_.pitch);
  std::vector<float> rows(numbers_.size());
  for (int c = 0; c < centres.height; ++c)
    std::copy_n(centres.row(c), memory_.dimensions,
                rows.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(c) * pitch));
  upload(memory_.numbers, rows.data(), rows.size() * sizeof(float), stream);
  prepare_centres(memory_, stream);
}

}  // namespace fovea::cuda
