// Requirements on the bands of a cube.
#pragma once
#include <fovea/core/image.h>

namespace fovea::emd {

// Throws InvalidArgument if the cube is empty or its bands have more than one channel.
void check_bands(const char* who, StackView<const float> bands);

}  // namespace fovea::emd
