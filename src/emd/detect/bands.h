// What the bands of a cube must be like.
#pragma once
#include <fovea/core/image.h>

namespace fovea::emd {

// InvalidArgument where there is nothing in the cube or bands have several channels.
void check_bands(const char* who, StackView<const float> bands);

}  // namespace fovea::emd
