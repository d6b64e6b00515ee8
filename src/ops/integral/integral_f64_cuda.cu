#include "ops/integral/integral_cuda.cuh"

namespace fovea::cuda {

FOVEA_FOR_EACH_INTEGRAL_TO_F64(FOVEA_INSTANTIATE_INTEGRAL)

}  // namespace fovea::cuda
