// The resize's two twins. Both exist for the types listed here. Several outputs of one source
// (the levels of a pyramid) are one call, so that a GPU needs one launch for all of them; every
// output has as many images and channels as the source, and none is empty.
#pragma once
#include <fovea/ops/resize.h>

#include <span>

#define FOVEA_FOR_EACH_RESIZE(X) \
  X(std::uint8_t)                \
  X(std::uint16_t)               \
  X(float)

namespace fovea::cpu {
template <class T>
void resize(StackView<const T> in, std::span<const StackView<T>> outs, bool antialias,
            const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
template <class T>
void resize(StackView<const T> in, std::span<const StackView<T>> outs, bool antialias,
            const Exec& exec);
}  // namespace fovea::cuda
