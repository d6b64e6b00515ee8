// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/gradient/backend.h"

namespace fovea::cuda {

template <class T, class Difference>
void gradient(ImageView<const T>, ImageView<Difference>, ImageView<Difference>, GradientKernel,
              const Exec&) {
  absent();
}
#define FOVEA_GRADIENT(T, Difference)                                                      \
  template void gradient(ImageView<const T>, ImageView<Difference>, ImageView<Difference>, \
                         GradientKernel, const Exec&);
FOVEA_FOR_EACH_GRADIENT(FOVEA_GRADIENT)
#undef FOVEA_GRADIENT

template <class T>
void polar_gradient(ImageView<const T>, ImageView<float>, ImageView<std::uint8_t>,
                    const detail::PolarParams&, const Exec&) {
  absent();
}
#define FOVEA_POLAR_GRADIENT(T)                                                               \
  template void polar_gradient(ImageView<const T>, ImageView<float>, ImageView<std::uint8_t>, \
                               const detail::PolarParams&, const Exec&);
FOVEA_FOR_EACH_POLAR_GRADIENT(FOVEA_POLAR_GRADIENT)
#undef FOVEA_POLAR_GRADIENT

}  // namespace fovea::cuda
