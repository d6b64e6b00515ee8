// The arithmetic of the descriptor that both twins share (Dalal and Triggs, CVPR 2005). Each
// function rounds after every operation; where a product and a sum are rounded once, fma() is
// written. Sums have the order that is stated with them, so that the twins agree to the bit.
#pragma once
#include <fovea/people/hog.h>

#include <cmath>
#include <cstdint>

namespace fovea::people {

// atan(t) for 0 <= t <= 1 as t * P(t^2), within 1.2e-5 (a minimax polynomial).
constexpr int kAtanTerms = 5;
constexpr double kAtan[kAtanTerms] = {0.9998663294673176, -0.3303047855247085, 0.180159294697227,
                                      -0.08515635089522737, 0.02084511419442373};

// How a gradient becomes votes. Angles are measured in bins.
struct VoteParams {
  int bins;
  int signed_angle;
  int interpolate;
  VoteWeight weight;
  float edge;
  float right_angle;
  float half_turn;
  float
      circle;  // bins of the whole circle, or of half of it where opposite directions are the same
  float atan[kAtanTerms];
};

// What a pixel adds to a histogram: `low` to bin n - 1 and `high` to bin n, both modulo the number
// of bins; without interpolation only `high` is used.
struct Vote {
  float low, high;
  int n;
};

// The quotient a / b and the square root, correctly rounded, for the numbers that occur with
// gradients: 0 or between 1e-4 and 1e6. The compiler's own functions on a GPU also handle numbers
// that do not occur here, and are slow for 0, which gradients often are.
#ifdef __CUDA_ARCH__
__device__ inline float quotient(float a, float b) {
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  inverse = fmaf(inverse, fmaf(-b, inverse, 1.0F), inverse);
  const float first = a * inverse;
  const float second = fmaf(fmaf(-b, first, a), inverse, first);
  return fmaf(fmaf(-b, second, a), inverse, second);
}
__device__ inline float root(float a) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(a));
  const float first = a * inverse;
  return a > 0 ? fmaf(fmaf(-first, first, a), 0.5F * inverse, first) : 0.0F;
}
#else
inline float quotient(float a, float b) { return a / b; }
inline float root(float a) { return std::sqrt(a); }
#endif

// The angle of (dx, dy), from 0 to p.circle, plus `shift` (a multiple of 1/4). The arctangent of
// the first octant is mirrored to the octant of (dx, dy): an odd function, with the sign of its
// argument, added to a multiple of the right angle.
FOVEA_HD inline float angle_in_bins(float dx, float dy, float shift, const VoteParams& p) {
  const float ax = std::fabs(dx), ay = std::fabs(dy);
  const bool steep = ay > ax, left = dx < 0, down = dy < 0;
  const float larger = steep ? ay : ax, smaller = steep ? ax : ay;
  float t = larger > 0 ? quotient(smaller, larger) : 0.0F;
  const float t2 = t * t, t4 = t2 * t2;
  const float even = std::fma(p.atan[1], t2, p.atan[0]);
  const float odd = std::fma(p.atan[4], t4, std::fma(p.atan[3], t2, p.atan[2]));
  if (steep != (left != down)) t = -t;
  float from = 0;
  if (!p.signed_angle) from = steep ? p.right_angle : (left != down ? p.circle : 0.0F);
  else if (steep) from = down ? p.circle - p.right_angle : p.right_angle;
  else from = left ? p.half_turn : (down ? p.circle : 0.0F);
  return std::fma(std::fma(odd, t4, even), t, from + shift);
}

// What a gradient of this squared length counts.
FOVEA_HD inline float vote_weight(float square, const VoteParams& p) {
  const float length = root(square);
  if (p.weight == VoteWeight::kMagnitude) return length;
  if (p.weight == VoteWeight::kRoot) return root(length);
  if (p.weight == VoteWeight::kSquare) return square;
  return length >= p.edge ? 1.0F : 0.0F;
}

// Neighboring bins share a vote by how far the angle lies from their middles.
FOVEA_HD inline Vote vote_of(float dx, float dy, const VoteParams& p) {
  const float magnitude = vote_weight(dx * dx + dy * dy, p);
  const float place = angle_in_bins(dx, dy, p.interpolate ? 0.5F : 0.0F, p);
  const int n = static_cast<int>(place);  // 0 to bins
  if (!p.interpolate) return {0, magnitude, n};
  const float high = magnitude * (place - static_cast<float>(n));
  return {magnitude - high, high, n};
}
FOVEA_HD inline int low_bin(int n, int bins) { return n == 0 ? bins - 1 : n - 1; }
FOVEA_HD inline int high_bin(int n, int bins) { return n == bins ? 0 : n; }

// Cells from integral histograms are sums in fixed point, which are exact for cells of 32x32
// pixels.
constexpr int kHogSumBits = 12;
constexpr float kHogSumScale = 1 << kHogSumBits;

// The gradient of a pixel: of the channel with the largest squared length, the first among equals.
struct Slope {
  float dx, dy;
};
FOVEA_HD inline float squared_length(Slope s) { return s.dx * s.dx + s.dy * s.dy; }

constexpr int kMaskReach = 2;  // the farthest pixel that a mask reads
constexpr float kCubicScale = 1.0F / 6;

// The gradient of one channel; at(x, y) is its value relative to the pixel. Only differences are
// added and scaled, so that there is no -0.
template <class At>
FOVEA_HD inline Slope slope_of(GradientMask mask, const At& at) {
  switch (mask) {
    case GradientMask::kUncentered: return {2 * (at(1, 0) - at(0, 0)), 2 * (at(0, 1) - at(0, 0))};
    case GradientMask::kCubic:
      return {kCubicScale * (8 * (at(1, 0) - at(-1, 0)) - (at(2, 0) - at(-2, 0))),
              kCubicScale * (8 * (at(0, 1) - at(0, -1)) - (at(0, 2) - at(0, -2)))};
    case GradientMask::kSobel: {
      const float falling = at(1, 1) - at(-1, -1), rising = at(1, -1) - at(-1, 1);
      return {0.25F * ((falling + rising) + 2 * (at(1, 0) - at(-1, 0))),
              0.25F * ((falling - rising) + 2 * (at(0, 1) - at(0, -1)))};
    }
    case GradientMask::kDiagonal: {
      const float falling = at(1, 1) - at(0, 0), rising = at(1, 0) - at(0, 1);
      return {falling + rising, falling - rising};
    }
    default: return {at(1, 0) - at(-1, 0), at(0, 1) - at(0, -1)};
  }
}

// Pixel i of a line whose neighbors are needed. Beyond the border the line is mirrored about its
// last pixel, so that the difference there is 0.
FOVEA_HD inline int mirrored_neighbor(int i, int size) {
  return i < 0 ? -i : (i >= size ? 2 * (size - 1) - i : i);
}

// The same for pixels farther away, and for lines of any length.
FOVEA_HD inline int mirrored_pixel(int i, int size) {
  const int inside = mirrored_neighbor(i, size);
  return inside < 0 ? 0 : (inside >= size ? size - 1 : inside);
}

// How the numbers of a block are normalized. The first constant keeps blocks without contrast from
// being amplified to noise; by default it is 0.1 for every number of the block. That and the second
// constant are those of OpenCV, so that its vectors can be used.
struct NormParams {
  BlockNorm norm;
  float clip;
  float least;  // epsilon * numbers of a block
};
constexpr float kLeastClipped = 1e-3F;

FOVEA_HD inline bool sums_squares(const NormParams& p) {
  return p.norm == BlockNorm::kL2 || p.norm == BlockNorm::kL2Hys;
}
// Adds one value of a block to the sum that its norm is computed from. Values are added in the
// order of the descriptor, so that both twins round alike.
FOVEA_HD inline float norm_add(float sum, float value, const NormParams& p) {
  return sums_squares(p) ? std::fma(value, value, sum) : sum + value;
}
FOVEA_HD inline float norm_scale(float sum, const NormParams& p) {
  if (p.norm == BlockNorm::kNone) return 1.0F / p.least;
  return 1.0F / ((sums_squares(p) ? std::sqrt(sum) : sum) + p.least);
}
// The number after the first normalization; L2-Hys normalizes these once more.
FOVEA_HD inline float norm_apply(float value, float scale, const NormParams& p) {
  const float scaled = value * scale;
  if (p.norm == BlockNorm::kL1Sqrt) return std::sqrt(scaled);
  return p.norm == BlockNorm::kL2Hys && scaled > p.clip ? p.clip : scaled;
}
FOVEA_HD inline float clipped_scale(float sum_of_squares) {
  return 1.0F / (std::sqrt(sum_of_squares) + kLeastClipped);
}

}  // namespace fovea::people
