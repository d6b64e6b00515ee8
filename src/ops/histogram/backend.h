// The twins of the window histogram (counts of 8 and 16 bits) and of quantisation (uint8, uint16
// and float), called with shapes that fit and nothing empty.
#pragma once
#include "ops/histogram/window_histogram_math.h"

namespace fovea::cpu {
template <class Count>
void window_histogram(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                      detail::WindowParams params, const Exec& exec);
template <class T>
void quantize(ImageView<const T> image, ImageView<std::uint8_t> bin, detail::QuantizeParams params,
              const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class Count>
void window_histogram(ImageView<const std::uint8_t> bin, ImageView<Count> counts,
                      detail::WindowParams params, const Exec& exec);
template <class T>
void quantize(ImageView<const T> image, ImageView<std::uint8_t> bin, detail::QuantizeParams params,
              const Exec& exec);
}  // namespace fovea::cuda
