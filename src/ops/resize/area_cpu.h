// The anti-aliased half of the resize's CPU twin.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

namespace fovea::cpu {

// For FOVEA_FOR_EACH_RESIZE.
template <class T>
void resize_area(StackView<const T> in, StackView<T> out, const Exec& exec);

}  // namespace fovea::cpu
