// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/max_flow/backend.h"

namespace fovea::cuda {

std::vector<detail::CutSides> source_sides(std::span<const detail::CutNetwork>, const Exec&) {
  absent();
}

}  // namespace fovea::cuda
