// Stands in for this folder's CUDA twin in a build without CUDA.
#include "core/no_cuda.h"
#include "emd/detect/backend.h"

namespace fovea::emd::cuda {

void signatures(StackView<const float>, const detail::SignatureParams&, ImageView<std::uint16_t>,
                const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::emd::cuda
