// Stands in for this folder's CUDA twins in a build without CUDA.
#include "core/no_cuda.h"
#include "emd/track/backend.h"
#include "emd/track/track_filter_engine.h"

namespace fovea::emd::cuda {

void label_colors(ImageView<const std::uint8_t>, std::span<const std::uint8_t>,
                  ImageView<std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
void label_bands(StackView<const float>, const BandTable&, ImageView<std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
void likelihood(ImageView<const float>, ImageView<const float>, ImageView<std::uint16_t>,
                const Exec&) {
  fovea::cuda::absent();
}
std::unique_ptr<FilterEngine> filter_engine(const ComplexPlane&, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::emd::cuda
