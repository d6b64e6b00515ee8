// Middlebury's colours of motion (Baker et al., "A database and evaluation methodology for optical
// flow", IJCV 2011): 55 hues around the wheel, closer together where the eye tells fewer apart.
#pragma once
#include <fovea/colour.h>

namespace fovea::flow {

// The colour of a motion whose full length is 1: white at 0, full at 1, darkened beyond.
report::Colour wheel_colour(float u, float v);

}  // namespace fovea::flow
