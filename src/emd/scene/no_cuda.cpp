// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "emd/scene/backend.h"
#include "emd/scene/fusion.h"

namespace fovea::emd::cuda {

template <class T>
void split_channels(ImageView<const T>, StackView<float>, const Exec&) {
  fovea::cuda::absent();
}
FOVEA_SPLIT_ALL

void widen(StackView<const std::uint16_t>, StackView<float>, const Exec&) { fovea::cuda::absent(); }
void widen(StackView<const std::int16_t>, StackView<float>, const Exec&) { fovea::cuda::absent(); }
void brightness_of(StackView<const float>, ImageView<float>, const Exec&) { fovea::cuda::absent(); }
void label_bands(StackView<const float>, const ColorTable&, ImageView<std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
void choose(ImageView<const float>, ImageView<const std::uint8_t>, const Rect<int>&,
            ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}
void measure_angles(StackView<const float>, const detail::AngleParams&, ImageView<float>,
                    const Exec&) {
  fovea::cuda::absent();
}
void fuse_scores(ImageView<const float>, const LevelTables&, ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}

}  // namespace fovea::emd::cuda
