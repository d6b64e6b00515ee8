// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"

#include "actions/points/points_engine.h"

namespace fovea::actions::cuda {

std::unique_ptr<PointEngine> make_point_engine(const PointPlan&, Extent, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::actions::cuda
