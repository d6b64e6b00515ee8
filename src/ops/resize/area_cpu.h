// The anti-aliased part of the resize's CPU twin.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

namespace fovea::cpu {

// Exists for the types of FOVEA_FOR_EACH_RESIZE.
template <class T>
void resize_area(StackView<const T> in, StackView<T> out, const Exec& exec);

}  // namespace fovea::cpu
