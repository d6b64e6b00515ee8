// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"

#include "actions/match/backend.h"

namespace fovea::actions::cuda {

std::unique_ptr<detail::MatchEngine> make_match_engine(std::span<const Chain>,
                                                       const detail::MatchTerms&, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::actions::cuda
