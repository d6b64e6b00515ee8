// Stands in for this folder's CUDA twins in a build without CUDA.
#include "core/no_cuda.h"
#include "flow/flow_grey.h"
#include "flow/matcher.h"

namespace fovea::flow::cuda {

std::unique_ptr<Matcher> make_lucas_kanade(const LucasKanadeOptions&) { fovea::cuda::absent(); }
std::unique_ptr<Matcher> make_block_matching(const BlockMatchingOptions&) { fovea::cuda::absent(); }

void leave_out(ImageView<const std::uint8_t>, const FlowView&, const Exec&) {
  fovea::cuda::absent();
}

template <class T>
GreyRange grey_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void to_grey(ImageView<const T>, GreyRange, ImageView<float>, const Exec&) {
  fovea::cuda::absent();
}
template <class T>
void coarse_grey(ImageView<const T>, const CoarseGrey&, const Exec&) {
  fovea::cuda::absent();
}
#define FOVEA_FLOW_GREY(T)                                                                       \
  template GreyRange grey_range(ImageView<const T>, ImageView<const std::uint8_t>, const Exec&); \
  template void to_grey(ImageView<const T>, GreyRange, ImageView<float>, const Exec&);           \
  template void coarse_grey(ImageView<const T>, const CoarseGrey&, const Exec&);
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_GREY)
#undef FOVEA_FLOW_GREY

}  // namespace fovea::flow::cuda
