// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "scenes/classify/backend.h"

namespace fovea::scenes::cuda {

std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan&) { fovea::cuda::absent(); }
std::unique_ptr<MarginEngine> make_margin_engine(const MarginPlan&) { fovea::cuda::absent(); }
void histogram_distances(ImageView<const float>, ImageView<const float>, ImageView<float>,
                         const DistanceOptions&) {
  fovea::cuda::absent();
}

}  // namespace fovea::scenes::cuda
