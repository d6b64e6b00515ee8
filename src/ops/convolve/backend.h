// The two twins of the convolution, for the types listed here. They are called with images of one
// shape, with kernels that are already flipped, and with anchors inside the kernels.
#pragma once
#include <fovea/ops/convolve.h>

#include <span>

#include "ops/convolve/convolve_math.h"

#define FOVEA_FOR_EACH_CONVOLVE(X) \
  X(std::uint8_t, float)           \
  X(std::uint8_t, std::uint8_t)    \
  X(float, float)

namespace fovea::detail {

struct SeparableKernel {
  std::span<const float> row, column;
};
// The weights of all rows lie one after another.
struct Kernel2d {
  const float* weights;
  int width, height;
};

}  // namespace fovea::detail

namespace fovea::cpu {
template <class T, class Out>
void convolve_separable(ImageView<const T> image, ImageView<Out> out,
                        const detail::SeparableKernel& kernel, const detail::ConvolveParams& params,
                        const Exec& exec);
template <class T, class Out>
void convolve(ImageView<const T> image, ImageView<Out> out, const detail::Kernel2d& kernel,
              const detail::ConvolveParams& params, const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class T, class Out>
void convolve_separable(ImageView<const T> image, ImageView<Out> out,
                        const detail::SeparableKernel& kernel, const detail::ConvolveParams& params,
                        const Exec& exec);
template <class T, class Out>
void convolve(ImageView<const T> image, ImageView<Out> out, const detail::Kernel2d& kernel,
              const detail::ConvolveParams& params, const Exec& exec);
}  // namespace fovea::cuda
