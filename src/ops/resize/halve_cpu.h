// The CPU twin's resize to exactly one half.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

namespace fovea::cpu {

// Exists for the types of FOVEA_FOR_EACH_RESIZE; detail::is_half() must be true for the sizes.
template <class T>
void resize_to_half(StackView<const T> in, StackView<T> out, const Exec& exec);

}  // namespace fovea::cpu
