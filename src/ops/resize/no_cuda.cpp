// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/resize/backend.h"

namespace fovea::cuda {

template <class T>
void resize(StackView<const T>, std::span<const StackView<T>>, bool, const Exec&) {
  absent();
}
#define FOVEA_RESIZE(T) \
  template void resize(StackView<const T>, std::span<const StackView<T>>, bool, const Exec&);
FOVEA_FOR_EACH_RESIZE(FOVEA_RESIZE)
#undef FOVEA_RESIZE

}  // namespace fovea::cuda
