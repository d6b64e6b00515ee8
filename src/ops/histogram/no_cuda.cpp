// Stands in for this folder's .cu files in a build without CUDA.
#include "core/no_cuda.h"
#include "ops/histogram/backend.h"

namespace fovea::cuda {

template <class Count>
void window_histogram(ImageView<const std::uint8_t>, ImageView<Count>, detail::WindowParams,
                      const Exec&) {
  absent();
}
#define FOVEA_WINDOW_HISTOGRAM(Count)                                             \
  template void window_histogram(ImageView<const std::uint8_t>, ImageView<Count>, \
                                 detail::WindowParams, const Exec&);
FOVEA_FOR_EACH_WINDOW_HISTOGRAM(FOVEA_WINDOW_HISTOGRAM)
#undef FOVEA_WINDOW_HISTOGRAM

template <class T>
void quantize(ImageView<const T>, ImageView<std::uint8_t>, detail::QuantizeParams, const Exec&) {
  absent();
}
#define FOVEA_QUANTIZE(T)                                                                     \
  template void quantize(ImageView<const T>, ImageView<std::uint8_t>, detail::QuantizeParams, \
                         const Exec&);
FOVEA_FOR_EACH_QUANTIZE(FOVEA_QUANTIZE)
#undef FOVEA_QUANTIZE

}  // namespace fovea::cuda
