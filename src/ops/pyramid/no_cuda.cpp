// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/pyramid/backend.h"

namespace fovea::cuda {

template <class T>
void gaussian_halve(ImageView<const T>, std::span<const ImageView<T>>, const Exec&) {
  absent();
}
#define FOVEA_GAUSSIAN_HALVE(T) \
  template void gaussian_halve(ImageView<const T>, std::span<const ImageView<T>>, const Exec&);
FOVEA_FOR_EACH_GAUSSIAN_HALVE(FOVEA_GAUSSIAN_HALVE)
#undef FOVEA_GAUSSIAN_HALVE

}  // namespace fovea::cuda
