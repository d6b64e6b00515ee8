// CIE L*a*b* of sRGB (D65), divided by 100 and in whole units of 1/8192. It is computed from 256
// linear values and the matrix of the white point; cube roots use our own Newton iteration, so that
// both twins round in the same way. Errors are less than one unit.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fovea::scenes {

constexpr float kLabUnits = 8192;  // per L* / 100, a* / 100, b* / 100

// sRGB to XYZ, with each row divided by the white point, so that its sum is 1.
constexpr float kXyz[3][3] = {{0.433949941F, 0.376209770F, 0.189840289F},
                              {0.212672879F, 0.715152128F, 0.072174993F},
                              {0.017756583F, 0.109467961F, 0.872775456F}};

// f(t) is the cube root above (6/29)^3 and a tangent below.
constexpr float kLabKnee = 0.008856451679F;
constexpr float kLabSlope = 7.787037037F;
constexpr float kLabShift = 0.1379310345F;

// A first guess of t^(-1/3) from the bits of t, read as an integer: within 4 %.
constexpr float kRootThird = -1.0F / 3.0F;
constexpr float kRootStart = 1419896064.0F;

// r = t^(-1/3) by three steps of r += r (1 - t r^3) / 3; the cube root is t r^2. For 0.008 <= t <=
// 1.1.
FOVEA_HD inline float lab_cube_root(float t) {
  std::int32_t bits;
  std::memcpy(&bits, &t, sizeof bits);
  bits = static_cast<std::int32_t>(std::fma(static_cast<float>(bits), kRootThird, kRootStart));
  float r;
  std::memcpy(&r, &bits, sizeof r);
  for (int i = 0; i < 3; ++i) {
    const float tr = t * r;
    const float error = std::fma(-tr, r * r, 1.0F);
    r = std::fma(r * error, 1.0F / 3.0F, r);
  }
  return (t * r) * r;
}
FOVEA_HD inline float lab_f(float t) {
  return t > kLabKnee ? lab_cube_root(t) : std::fma(t, kLabSlope, kLabShift);
}
FOVEA_HD inline float lab_mix(float r, float g, float b, const float* row) {
  return std::fma(b, row[2], std::fma(g, row[1], r * row[0]));
}

// L, a and b divided by 100, in units of 1/8192, rounded to even. r, g and b are linear, 0 to 1.
struct LabPixel {
  float l, a, b;
};
constexpr float kLightnessGain = 1.16F * kLabUnits;
constexpr float kLightnessShift = -0.16F * kLabUnits;
constexpr float kLabGainA = 5 * kLabUnits;
constexpr float kLabGainB = 2 * kLabUnits;
FOVEA_HD inline LabPixel lab_of(float r, float g, float b) {
  constexpr float kX[3] = {kXyz[0][0], kXyz[0][1], kXyz[0][2]};
  constexpr float kY[3] = {kXyz[1][0], kXyz[1][1], kXyz[1][2]};
  constexpr float kZ[3] = {kXyz[2][0], kXyz[2][1], kXyz[2][2]};
  const float x = lab_f(lab_mix(r, g, b, kX));
  const float y = lab_f(lab_mix(r, g, b, kY));
  const float z = lab_f(lab_mix(r, g, b, kZ));
  return {std::rint(std::fma(y, kLightnessGain, kLightnessShift)), std::rint((x - y) * kLabGainA),
          std::rint((y - z) * kLabGainB)};
}

}  // namespace fovea::scenes
