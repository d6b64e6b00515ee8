// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/tile_shapes.h"
#include "scenes/words/feature_engine.h"

namespace fovea::scenes::cuda {

void descriptors(ImageView<const std::uint8_t>, const DescriptorOptions&,
                 std::span<const std::int64_t>, ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}

std::span<const fovea::cuda::BlockShape> filter_shapes() { return {}; }
void shaped_descriptors(ImageView<const std::uint8_t>, ImageView<float>, const Exec&, std::size_t) {
  fovea::cuda::absent();
}

std::unique_ptr<WordEngine> make_word_engine(const FeaturePlan&) { fovea::cuda::absent(); }
std::unique_ptr<FeatureEngine> make_code_engine(const FeaturePlan&, const CodePlan&) {
  fovea::cuda::absent();
}

}  // namespace fovea::scenes::cuda
