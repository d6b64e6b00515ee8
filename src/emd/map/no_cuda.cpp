// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "emd/map/map_engine.h"

namespace fovea::emd::cuda {

std::unique_ptr<MapEngine> make_map_engine(const MapPlan&) { fovea::cuda::absent(); }

}  // namespace fovea::emd::cuda
