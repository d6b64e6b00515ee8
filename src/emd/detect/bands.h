// Requirements on the bands of a cube.
#pragma once
#include <fovea/core/image.h>

#include <span>

namespace fovea::emd {

// Throws InvalidArgument if the cube is empty or its bands have more than one channel.
void check_bands(const char* who, StackView<const float> bands);
// Throws also if the target does not have one finite value per band.
void check_target(const char* who, StackView<const float> bands, std::span<const float> target);

}  // namespace fovea::emd
