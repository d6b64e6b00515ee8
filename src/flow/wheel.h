// Middlebury's colors of motion (Baker et al., "A database and evaluation methodology for optical
// flow", IJCV 2011): 55 hues around the wheel, fewer of them where the eye distinguishes fewer.
#pragma once
#include <fovea/report/color.h>

namespace fovea::flow {

// The color of a motion whose full length is 1: white at 0, full at 1, darkened beyond.
report::Color wheel_color(float u, float v);

}  // namespace fovea::flow
