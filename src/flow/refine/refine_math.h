// The arithmetic of the variational refinement that both twins share, in single precision without
// fused products, so that every instruction set and the GPU round alike.
//
// Energy (Brox, Bruhn, Papenberg and Weickert, ECCV 2004; normalized as Zimmer, Bruhn and Weickert,
// IJCV 2011, do): brightness and gradient are constant along the motion, and the motion is smooth
// but for few places. Its robust functions are sqrt(s^2 + epsilon^2).
#pragma once
#include <fovea/core/api.h>

#include <cfloat>
#include <cmath>

#include "flow/refine/refine_plan.h"

namespace fovea::flow::refine {

constexpr float kFlat = 0.1F;          // added to squared gradients: below it they are noise
constexpr float kRobust2 = 1e-6F;      // epsilon squared of the data terms
constexpr float kSmooth2 = 1e-6F;      // and of the smoothness
constexpr float kLeastSystem = 1e-6F;  // keeps a pixel without data and neighbors where it is

// Derivative from the pixels -2, -1, 1 and 2 steps away.
constexpr float kNear = 2.0F / 3, kFar = 1.0F / 12;
FOVEA_HD inline float derivative(float before2, float before, float after, float after2) {
  return (after - before) * kNear - (after2 - before2) * kFar;
}

// Pixels that second derivatives reach.
constexpr int kStencil = 4;

// Weights of the pixels -1, 0, 1 and 2 steps away at a fraction of a step (Keys 1981, a = -1/2).
struct Cubic {
  float w[4];
};
FOVEA_HD inline Cubic cubic(float t) {
  const float s = 1 - t;
  const float tt = t * t, ss = s * s;
  return {
      {-0.5F * (t * ss), 1 - tt * (2.5F - 1.5F * t), 1 - ss * (2.5F - 1.5F * s), -0.5F * (s * tt)}};
}
FOVEA_HD inline float weighted(const Cubic& c, float a, float b, float e, float f) {
  return ((a * c.w[0] + b * c.w[1]) + e * c.w[2]) + f * c.w[3];
}

// Derivatives of the mean of the first image and the warped second one, and of their difference.
struct Derivatives {
  float x, y, z, xx, xy, yy, xz, yz;
};
// The system of a pixel for its whole flow (u, v): a11 u + a12 v = c1, a12 u + a22 v = c2, before
// its neighbors are added.
struct System {
  float a11, a12, a22, c1, c2;
};
// (u, v) is the flow of the warp and (du, dv) what has been added to it since.
struct Motion {
  float u, v, du, dv;
};
FOVEA_HD inline System data_system(const Derivatives& d, const Motion& m, float valid,
                                   const Energy& energy) {
  const float n0 = (d.x * d.x + d.y * d.y) + kFlat;
  const float n1 = (d.xx * d.xx + d.xy * d.xy) + kFlat;
  const float n2 = (d.xy * d.xy + d.yy * d.yy) + kFlat;
  const float i1 = 1 / n1, i2 = 1 / n2;
  const float r0 = d.z + (d.x * m.du + d.y * m.dv);
  const float r1 = d.xz + (d.xx * m.du + d.xy * m.dv);
  const float r2 = d.yz + (d.xy * m.du + d.yy * m.dv);
  // delta / (n0 sqrt(r0^2 / n0 + epsilon^2)), with one root
  const float w0 = valid * energy.delta / std::sqrt(n0 * (r0 * r0 + n0 * kRobust2));
  const float w = valid * energy.gamma / std::sqrt(((r1 * r1) * i1 + (r2 * r2) * i2) + kRobust2);
  const float w1 = w * i1, w2 = w * i2;
  const float x0 = w0 * d.x, y0 = w0 * d.y;
  const float x1 = w1 * d.xx, y1 = w1 * d.xy;
  const float x2 = w2 * d.xy, y2 = w2 * d.yy;
  System s;
  s.a11 = ((x0 * d.x + x1 * d.xx) + x2 * d.xy) + kLeastSystem;
  s.a12 = (x0 * d.y + x1 * d.xy) + x2 * d.yy;
  s.a22 = ((y0 * d.y + y1 * d.xy) + y2 * d.yy) + kLeastSystem;
  const float b1 = (x0 * d.z + x1 * d.xz) + x2 * d.yz;
  const float b2 = (y0 * d.z + y1 * d.xz) + y2 * d.yz;
  s.c1 = (s.a11 * m.u + s.a12 * m.v) - b1;
  s.c2 = (s.a12 * m.u + s.a22 * m.v) - b2;
  return s;
}

// How smooth the flow is asked to be at a pixel, from its differences to the right and lower
// neighbor.
FOVEA_HD inline float smoothness(float ux, float uy, float vx, float vy, float alpha) {
  return alpha / std::sqrt(((ux * ux + uy * uy) + (vx * vx + vy * vy)) + kSmooth2);
}
// Between two neighbors whose gray levels differ.
FOVEA_HD inline float between(float here, float there, float difference, float edge) {
  return ((here + there) * 0.5F) * (edge / (edge + std::fabs(difference)));
}

// What is between two neighbors, a weight or a difference, if both count or neither does; nothing
// crosses the border of a mask.
FOVEA_HD inline float joined(bool counts, bool there, float value) {
  return counts == there ? value : 0.0F;
}

// One relaxation of a value towards what its neighbors and data ask for.
FOVEA_HD inline float relaxed(float value, float wanted, float inverse, float omega) {
  return value + omega * (wanted * inverse - value);
}

// The weighted median that ends the refinement (Sun, Roth and Black, CVPR 2010): pixels count more
// the more their gray level is that of the pixel in the middle, and the surer it is that the second
// image shows them. The numbers were chosen on drawn pairs (docs/flow.md).
constexpr int kMendRadius = 3;
constexpr int kMendSide = 2 * kMendRadius + 1;
constexpr int kMendTaps = kMendSide * kMendSide;
constexpr int kMendSteps = 8;         // bisections of the range of the flow
constexpr float kMendRange = 0.3F;    // pixels; a component that varies less stays
constexpr float kMendGray = 0.005F;   // per squared gray level
constexpr float kMendError = 0.02F;   // per squared gray level that the warped image differs
constexpr float kMendMeet = 20.0F;    // per squared pixel by which neighbors approach each other
constexpr float kMendUnseen = 0.05F;  // of pixels that leave the image

// How much the flow of a pixel counts among its neighbors'. `meet` is the divergence of the flow,
// below 0 where neighbors approach each other. It is negative for a pixel that a mask leaves out.
FOVEA_HD inline float mend_weight(float meet, float error, float valid, bool counts) {
  const float d = std::fmin(meet, 0.0F);
  const float z = (1 + (d * d) * kMendMeet) * (1 + (error * error) * kMendError);
  const float weight = (valid > 0 ? 1.0F : kMendUnseen) / (z * z);
  return counts ? weight : -weight;
}
// And for the pixel in the middle.
FOVEA_HD inline float mend_share(float there, float here, float difference) {
  const float z = 1 + (difference * difference) * kMendGray;
  return joined(here > 0, there > 0, std::fabs(there) / (z * z));
}

// Where the weighted median of one component lies, from taps whose share is above 0: each is given
// to take(), then narrow() bisects. The median is the least tap above `under` in the end. Minima
// keep the first of equal taps, so that zeros have the same sign everywhere.
struct MendBracket {
  float low = FLT_MAX, high = -FLT_MAX;
  float under = -FLT_MAX;  // taps up to here have less than half of the shares
  FOVEA_HD void take(float value) {
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  FOVEA_HD bool flat() const { return high - low < kMendRange; }
  FOVEA_HD float middle() const { return (low + high) * 0.5F; }
  FOVEA_HD void narrow(float at, float below, float half) {
    if (below >= half) high = at;
    else low = under = at;
  }
};

// Lowers a confidence if a vector was moved by (du, dv) pixels.
FOVEA_HD inline float doubted(float confidence, float du, float dv) {
  return confidence / (1.0F + (du * du + dv * dv));
}

// The gray level of a color.
FOVEA_HD inline float mean_of(float red, float green, float blue) {
  return ((red + green) + blue) * (1.0F / 3);
}

// The linearization holds for about a pixel, and a few relaxations may overshoot.
constexpr float kMostStep = 4;
FOVEA_HD inline float limited(float value, float base) {
  return std::fmin(std::fmax(value, base - kMostStep), base + kMostStep);
}

}  // namespace fovea::flow::refine
