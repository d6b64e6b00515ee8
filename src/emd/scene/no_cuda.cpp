// Stands in for this folder's .cu file in a build without CUDA.
#include "core/no_cuda.h"
#include "emd/scene/backend.h"

namespace fovea::emd::cuda {

template <class T>
void split_channels(ImageView<const T>, StackView<float>, const Exec&) {
  fovea::cuda::absent();
}
#define FOVEA_SPLIT(T) \
  template void split_channels(ImageView<const T>, StackView<float>, const Exec&);
FOVEA_SPLIT(std::uint8_t)
FOVEA_SPLIT(std::uint16_t)
FOVEA_SPLIT(std::uint32_t)
FOVEA_SPLIT(std::int8_t)
FOVEA_SPLIT(std::int16_t)
FOVEA_SPLIT(std::int32_t)
FOVEA_SPLIT(float)
FOVEA_SPLIT(double)
#undef FOVEA_SPLIT

void brightness_of(StackView<const float>, ImageView<float>, const Exec&) { fovea::cuda::absent(); }
void label_bands(StackView<const float>, const ColorTable&, ImageView<std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
void choose(ImageView<const float>, ImageView<const std::uint8_t>, const Rect<int>&,
            ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::emd::cuda
