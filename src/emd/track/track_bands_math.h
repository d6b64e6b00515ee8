// Arithmetic of bands that both twins must agree on to the bit. It has no branch that depends on
// the device, and sums bands in their order.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::emd {

// The label of a pixel that no band measured: histograms of windows do not count it.
inline constexpr std::uint8_t kNoLabel = 255;

// Whether a sample is a number; NaN and infinities stand for missing measurements.
FOVEA_HD inline bool is_measured(float sample) { return sample - sample == 0.0F; }

// What the samples of a pixel are multiplied by so that their root mean square is 1; `squares` is
// the sum over `count` measured bands. A black pixel stays black.
FOVEA_HD inline float inverse_brightness(float squares, int count) {
  return squares > 0.0F ? 1.0F / std::sqrt(squares / static_cast<float>(count)) : 0.0F;
}

FOVEA_HD inline float scaled_sample(float sample, float inverse, float offset, float scale) {
  return (sample * inverse - offset) * scale;
}

}  // namespace fovea::emd
