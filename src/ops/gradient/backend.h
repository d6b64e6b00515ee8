// The two twins of the gradient, for the types listed here. All views have one shape.
#pragma once
#include <fovea/ops/gradient.h>

#include "ops/gradient/gradient_math.h"

#define FOVEA_FOR_EACH_GRADIENT(X) \
  X(std::uint8_t, std::int16_t)    \
  X(float, float)
#define FOVEA_FOR_EACH_POLAR_GRADIENT(X) \
  X(std::uint8_t)                        \
  X(float)

namespace fovea::cpu {
template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec);
template <class T>
void polar_gradient(ImageView<const T> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params,
                    const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class T, class Difference>
void gradient(ImageView<const T> image, ImageView<Difference> dx, ImageView<Difference> dy,
              GradientKernel kernel, const Exec& exec);
template <class T>
void polar_gradient(ImageView<const T> image, ImageView<float> magnitude,
                    ImageView<std::uint8_t> bin, const detail::PolarParams& params,
                    const Exec& exec);
}  // namespace fovea::cuda
