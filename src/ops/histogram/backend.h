// The twins of the window histogram, for the listed types of counts, and of quantization, for the
// listed types of pixels. They are called with matching shapes and nothing empty.
#pragma once
#include "ops/histogram/window_histogram_math.h"

#define FOVEA_FOR_EACH_WINDOW_HISTOGRAM(X) \
  X(std::uint8_t)                          \
  X(std::uint16_t)
#define FOVEA_FOR_EACH_QUANTIZE(X) \
  X(std::uint8_t)                  \
  X(std::uint16_t)                 \
  X(float)

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
