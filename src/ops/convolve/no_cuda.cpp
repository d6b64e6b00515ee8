// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/convolve/backend.h"

namespace fovea::cuda {

template <class T, class Out>
void convolve_separable(ImageView<const T>, ImageView<Out>, const detail::SeparableKernel&,
                        const detail::ConvolveParams&, const Exec&) {
  absent();
}
template <class T, class Out>
void convolve(ImageView<const T>, ImageView<Out>, const detail::Kernel2d&,
              const detail::ConvolveParams&, const Exec&) {
  absent();
}
#define FOVEA_CONVOLVE(T, Out)                                                                    \
  template void convolve_separable(ImageView<const T>, ImageView<Out>,                            \
                                   const detail::SeparableKernel&, const detail::ConvolveParams&, \
                                   const Exec&);                                                  \
  template void convolve(ImageView<const T>, ImageView<Out>, const detail::Kernel2d&,             \
                         const detail::ConvolveParams&, const Exec&);
FOVEA_FOR_EACH_CONVOLVE(FOVEA_CONVOLVE)
#undef FOVEA_CONVOLVE

}  // namespace fovea::cuda
