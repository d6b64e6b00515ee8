// The two twins of the Gaussian halving, for the types listed here. Each output is half the size of
// the one before it, and the first one half the size of the image. The whole chain is one call, so
// that a GPU never waits in between. Levels of other ratios are made by resizing.
#pragma once
#include <fovea/ops/pyramid.h>

#include <span>

#define FOVEA_FOR_EACH_GAUSSIAN_HALVE(X) \
  X(std::uint8_t)                        \
  X(float)

namespace fovea::cpu {
template <class T>
void gaussian_halve(ImageView<const T> image, std::span<const ImageView<T>> outs, const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class T>
void gaussian_halve(ImageView<const T> image, std::span<const ImageView<T>> outs, const Exec& exec);
}  // namespace fovea::cuda
