// The resize to exactly one half of the CPU twin.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

namespace fovea::cpu {

// For FOVEA_FOR_EACH_RESIZE and sizes of which detail::is_half() is true.
template <class T>
void resize_to_half(StackView<const T> in, StackView<T> out, const Exec& exec);

}  // namespace fovea::cpu
