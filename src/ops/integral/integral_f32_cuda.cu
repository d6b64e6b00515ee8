#include "ops/integral/integral_cuda.cuh"

namespace fovea::cuda {

FOVEA_FOR_EACH_INTEGRAL_TO_F32(FOVEA_INSTANTIATE_INTEGRAL)

KernelFacts float_integral_facts(int channels) {
  return channels == 4 ? integral_facts<float, 4>() : integral_facts<float, 1>();
}

}  // namespace fovea::cuda
