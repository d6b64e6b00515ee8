// The arithmetic of frames on which both twins agree to the bit.
#pragma once
#include <fovea/core/api.h>

#include <cstdint>

namespace fovea::emd::detail {

// Brightness (BT.601).
FOVEA_HD inline float brightness(float red, float green, float blue) {
  return 0.299F * red + 0.587F * green + 0.114F * blue;
}

// A value as a byte, where 0 to 256 span the range from low to high.
FOVEA_HD inline std::uint8_t byte_of(float value, float low, float high) {
  const float share = (value - low) / (high - low) * 256;
  return static_cast<std::uint8_t>(share >= 255 ? 255 : share >= 0 ? static_cast<int>(share) : 0);
}

}  // namespace fovea::emd::detail
