// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "mesh/divide/fuzzy_engine.h"
#include "mesh/divide/patch_engine.h"
#include "mesh/graph/normals.h"

namespace fovea::mesh::cuda {

void smooth_and_measure(DualGraph&, const Adjacency&, std::span<const float>, double, const Exec&) {
  fovea::cuda::absent();
}

std::unique_ptr<FuzzyEngine> make_fuzzy_engine(const CandidateRows&, const Exec&) {
  fovea::cuda::absent();
}

std::unique_ptr<PatchEngine> make_patch_engine(const PatchSteps&, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::mesh::cuda
