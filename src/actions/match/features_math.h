// A number of a feature, as both twins compute it.
#pragma once
#include <fovea/core/api.h>

#include <cmath>

namespace fovea::actions::detail {

FOVEA_HD inline float feature_value(float bin, float scale, bool square_root) {
  return scale * (square_root ? std::sqrt(bin < 0.0F ? 0.0F : bin) : bin);
}

}  // namespace fovea::actions::detail
