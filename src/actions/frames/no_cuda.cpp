// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"

#include "actions/frames/backend.h"

namespace fovea::actions::cuda {

std::unique_ptr<detail::GreedyEngine> make_greedy_engine(std::span<const detail::GreedyModel>,
                                                         const detail::MatchTerms&, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::actions::cuda
