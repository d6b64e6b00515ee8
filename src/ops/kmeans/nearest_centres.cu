#include "ops/kmeans/nearest_centres.cuh"

#include <algorithm>
#include <vector>

namespace fovea::cuda {
namespace {

constexpr int kPrepareThreads = 128;

__global__ void prepare_kernel(CentresMemory centres) {
  prepare_group(centres, static_cast<int>(blockIdx.x));
}

std::size_t group_count(int centres) {
  return static_cast<std::size_t>(detail::nearest::groups_of(centres));
}

}  // namespace

void prepare_centres(const CentresMemory& centres, cudaStream_t stream) {
  check(cudaMemsetAsync(centres.most_half, 0, sizeof(float), stream), "preparing centres");
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
  if (dimensions <= kMostTensorDimensions)
    groups_ = Array<std::uint32_t>(
        group_count(centres) * static_cast<std::size_t>(group_words(steps)), Memory::kCuda);
  memory_.numbers = numbers_.data();
  memory_.halves = halves_.data();
  memory_.groups = dimensions <= kMostTensorDimensions ? groups_.data() : nullptr;
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
