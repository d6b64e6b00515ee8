// Stands in for this folder's CUDA twins in a build without CUDA.
#include "core/no_cuda.h"
#include "flow/flow_gray.h"
#include "flow/matcher.h"
#include "flow/refine/refiner.h"

namespace fovea::flow::cuda {

std::unique_ptr<Matcher> make_lucas_kanade(const lk::Plan&) { fovea::cuda::absent(); }
std::unique_ptr<Matcher> make_block_matching(const bm::Settings&) { fovea::cuda::absent(); }

std::unique_ptr<Refiner> make_refiner(const refine::Plan&) { fovea::cuda::absent(); }

void leave_out(ImageView<const std::uint8_t>, const FlowView&, const Exec&) {
  fovea::cuda::absent();
}

template <class T>
GrayRange gray_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
GrayRange color_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void to_colors(ImageView<const T>, GrayRange, const std::array<ImageView<float>, 3>&, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void to_gray(ImageView<const T>, GrayRange, ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void to_gray(ImageView<const T>, ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void coarse_gray(ImageView<const T>, const CoarseGray&, const Exec&) {
  fovea::cuda::absent();
}
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_GRAY_CUDA)

}  // namespace fovea::flow::cuda
