#include "ops/integral/integral_cuda.cuh"

namespace fovea::cuda {

FOVEA_FOR_EACH_INTEGRAL_TO_F64(FOVEA_INSTANTIATE_INTEGRAL)

KernelFacts double_integral_facts() { return integral_facts<double, 1>(); }

}  // namespace fovea::cuda
