// The arithmetic of dense Lucas-Kanade that both twins share. Images are compared by a soft rank
// transform, in integers throughout. A level's flow is refined by steps that consist of one warp,
// five products, a separable window and a damped 2x2 system, in single precision. Sums run over a
// window's taps in ascending order; fma() is used where a product and a sum round once.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::flow::lk {

FOVEA_HD inline int least(int a, int b) { return a < b ? a : b; }
FOVEA_HD inline int most(int a, int b) { return a > b ? a : b; }
FOVEA_HD inline int clamped(int i, int size) { return least(most(i, 0), size - 1); }
// The border is mirrored without repeating it; indices beyond the mirror image give its last pixel.
FOVEA_HD inline int mirrored(int i, int size) {
  const int inside = i < 0 ? -i : i;
  return clamped(inside >= size ? 2 * size - 2 - inside : inside, size);
}

// Gray levels are stored in sixteenths: a coarse level has more of them than bytes can represent.
constexpr int kGrayUnits = 16;
constexpr int kGrayMost = 255 * kGrayUnits;
// Marks a pixel that the mask leaves out.
constexpr int kNoGray = 0x7FFF;
FOVEA_HD inline int quantized(float gray) {
  const float units = gray * kGrayUnits + 0.5F;
  if (!(units > 0)) return 0;  // also for NaN
  return units < kGrayMost ? static_cast<int>(units) : kGrayMost;
}

// Halves the size: [1 4 6 4 1] down the columns, which fits into 16 bits, then along the row.
FOVEA_HD inline int halved(int sum) { return (sum + 128) >> 8; }
constexpr int kHalveTaps[5] = {1, 4, 6, 4, 1};

// Rank transform: how much brighter a pixel is than its neighbors. A neighbor's vote grows over
// kRankSoft units instead of jumping, so that noise in flat areas counts little.
constexpr int kRankRadius = 3;
constexpr int kRankNeighbors = 48;
constexpr int kRankSoft = 4 * kGrayUnits;
FOVEA_HD inline int rank_vote(int center, int neighbor) {
  return least(most(center - neighbor, -kRankSoft), kRankSoft);
}
constexpr int kRankShift = 5;
constexpr int kRankOffset = kRankNeighbors * kRankSoft + (1 << (kRankShift - 1));
// Returns 0 to 192 from the sum of votes.
FOVEA_HD inline int ranked(int votes) { return (votes + kRankOffset) >> kRankShift; }
// If some neighbors are missing, the votes of the others are scaled up.
FOVEA_HD inline int whole_votes(int votes, int neighbors) {
  return neighbors > 0 ? votes * kRankNeighbors / neighbors : 0;
}
// Returns the gray level itself, for use without the transform.
FOVEA_HD inline int unranked(int gray) { return (gray + kGrayUnits / 2) / kGrayUnits; }

// Where pixel x lands on one axis: between `index` and the next pixel.
struct Landing {
  int index;
  float fraction;
  bool inside;
};
FOVEA_HD inline Landing landing(int x, float flow, int size) {
  const float whole = std::floor(flow);
  const int i = x + static_cast<int>(whole);
  const int index = clamped(i, size);
  const bool inside = i == index;
  return {index, inside && i < size - 1 ? flow - whole : 0.0F, inside};
}
FOVEA_HD inline float blended(float a, float b, float fraction) {
  return std::fma(b - a, fraction, a);
}

// What a pixel contributes to the sums of its neighbors' windows. `sum` is the first image plus the
// warped second one, whose differences are used: the gradients of both images count equally.
struct Products {
  float xx, xy, yy, xt, yt;
};
FOVEA_HD inline float gradient(float before, float after) { return (after - before) * 0.25F; }
// Large differences probably belong to another object.
FOVEA_HD inline float robust_weight(float difference, float robust) {
  return robust / (robust + std::fabs(difference));
}
FOVEA_HD inline Products products(float gx, float gy, float difference, float weight) {
  const float wx = weight * gx, wy = weight * gy;
  return {wx * gx, wx * gy, wy * gy, wx * difference, wy * difference};
}

struct SolveParams {
  float damping;         // added to the diagonal, so that flow in flat areas does not change
  float min_eigenvalue;  // with less, the flow of a pixel does not change
  float most;            // greatest step along each axis
};
struct Step {
  float u, v;
  bool posed;
};
// Whether both eigenvalues of the sums' matrix exceed `least`.
FOVEA_HD inline bool well_posed(float xx, float xy, float yy, float least) {
  const float a = xx - least, c = yy - least;
  return a > 0 && c > 0 && a * c > xy * xy;
}
FOVEA_HD inline float limited(float value, float most) {
  return std::fmin(std::fmax(value, -most), most);
}
FOVEA_HD inline Step solved(const Products& sums, const SolveParams& params) {
  const float a = sums.xx + params.damping, b = sums.xy, c = sums.yy + params.damping;
  const float inverse = 1.0F / std::fma(a, c, -(b * b));
  const float u = std::fma(b, sums.yt, -(c * sums.xt)) * inverse;
  const float v = std::fma(b, sums.xt, -(a * sums.yt)) * inverse;
  if (!well_posed(sums.xx, sums.xy, sums.yy, params.min_eigenvalue)) return {0, 0, false};
  return {limited(u, params.most), limited(v, params.most), true};
}

// Propagation: each pixel tries the flow of pixels some distance away and keeps the flow that fits
// best, by the sum of absolute differences over a square of 7x7 pixels. It uses integers, with
// positions in sixteenths.
constexpr int kTrialRadius = 3;
constexpr int kTrialUnits = 16;
constexpr int kTrialMost = 768;  // the difference that counts if the flow leaves the image
struct Offset {
  int x, y;
};
constexpr int kTrials = 8;
constexpr Offset kTrialOffsets[kTrials] = {{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                           {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
FOVEA_HD inline int trial_position(float flow) {
  return static_cast<int>(std::floor(flow * kTrialUnits + 0.5F));
}
// Returns the difference of a pixel of the first image and the second image's pixels a b / c d,
// interpolated at fx and fy sixteenths.
FOVEA_HD inline int trial_difference(int first, int a, int b, int c, int d, int fx, int fy) {
  const int above = a * (kTrialUnits - fx) + b * fx, below = c * (kTrialUnits - fx) + d * fx;
  const int difference = above * (kTrialUnits - fy) + below * fy - (first << 8);
  return (difference < 0 ? -difference : difference) >> 6;
}

// The differences of three channels are averaged without rest: (sum * kThird) >> 16 is sum / 3.
constexpr int kThird = 21846;
FOVEA_HD inline int mean_difference(int red, int green, int blue) {
  return ((red + green + blue) * kThird) >> 16;
}

// Confidence: an estimate of the error of the flow from the differences that remain in a square of
// 7x7 pixels, from how firmly the window determines the flow (the smaller eigenvalue), and from how
// much the flow varies among nine pixels around.
constexpr int kSpacing = 4;                        // distance between the nine pixels
constexpr float kResidualScale = 1.0F / (49 * 4);  // mean of 49 differences, which are in quarters
constexpr float kFloor = 0.05F;
constexpr float kHalf = 2;            // doubt that gives a confidence of one half
constexpr float kBackwardWeight = 4;  // growth of doubt per pixel between a start and its return
FOVEA_HD inline float smaller_eigenvalue(float xx, float xy, float yy) {
  const float difference = xx - yy, twice = xy + xy;
  return ((xx + yy) - std::sqrt(std::fma(difference, difference, twice * twice))) * 0.5F;
}
struct Evidence {
  float residual;    // sum of trial_difference()
  float eigenvalue;  // of the last step's sums
  float variation;   // largest minus smallest value, of u and v together
  float pixel;       // size of the level's pixels: 1, 2, 4, ...
};
FOVEA_HD inline float mean_difference(const Evidence& evidence) {
  return evidence.residual * kResidualScale;
}
FOVEA_HD inline float doubt_by_difference(const Evidence& evidence) {
  const float firmness = std::sqrt(evidence.eigenvalue + 1.0F);
  return mean_difference(evidence) / firmness * evidence.pixel + kFloor;
}
FOVEA_HD inline float doubt_by_variation(const Evidence& evidence) {
  return evidence.variation * evidence.pixel + kFloor;
}
FOVEA_HD inline float doubt(const Evidence& evidence) {
  return doubt_by_difference(evidence) * doubt_by_variation(evidence);
}
FOVEA_HD inline float doubt_both_ways(float doubt, float there_and_back, float pixel) {
  return doubt * std::fma(kBackwardWeight * pixel, there_and_back, 1.0F);
}
FOVEA_HD inline float confidence_of(float doubt) { return kHalf / (kHalf + doubt); }

}  // namespace fovea::flow::lk
