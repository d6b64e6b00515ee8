// Stands in for this folder's CUDA twin in a build without CUDA.
#include "core/no_cuda.h"
#include "people/track/backend.h"

namespace fovea::people::cuda {

void color_masses(ImageView<const std::uint8_t>, std::span<const PixelGrid>,
                  std::span<const CellColors>, ImageView<std::uint16_t>, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::people::cuda
