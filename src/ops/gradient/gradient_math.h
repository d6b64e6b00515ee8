// The arithmetic that both twins of the gradient share.
#pragma once
#include <fovea/ops/gradient.h>

namespace fovea::detail {

struct KernelWeights {
  int side;    // weight of the two outer lines
  int center;  // weight of the middle one
};

FOVEA_HD constexpr KernelWeights weights_of(GradientKernel kernel) {
  if (kernel == GradientKernel::kSobel) return {1, 2};
  if (kernel == GradientKernel::kScharr) return {3, 10};
  return {0, 1};
}

// Directions of the borders between bins. Bins are found by comparing with them instead of by an
// arctangent, so that they are the same on every machine: a product and a difference are rounded
// alike everywhere.
struct PolarParams {
  static constexpr int kMostBins = 32;
  int bins;
  int signed_angle;
  float cosine[kMostBins];  // for border k, between bins k-1 and k
  float sine[kMostBins];
};

PolarParams polar_params(const PolarGradientOptions& options);

// The number of bins on a half circle, if the borders are mirrored at the vertical in both halves
// of the circle; 0 where an odd number of bins goes around the whole circle.
FOVEA_HD inline int half_circle_bins(const PolarParams& p) {
  if (!p.signed_angle) return p.bins;
  return p.bins % 2 == 0 ? p.bins / 2 : 0;
}

// The bin of direction (dx, dy).
FOVEA_HD inline int orientation_bin(float dx, float dy, const PolarParams& p) {
  const bool lower_half = dy < 0 || (dy == 0 && dx < 0);
  if (!p.signed_angle && lower_half) {  // opposite directions fold together; angle pi is angle 0
    dx = -dx;
    dy = -dy;
  }
  const bool beyond_pi = p.signed_angle && dy < 0;
  int bin = 0;
  for (int k = 1; k < p.bins; ++k) {
    const bool left_of_border = p.cosine[k] * dy - p.sine[k] * dx >= 0;
    if (p.sine[k] == 0) {
      bin += lower_half;  // angle 0 lies on the line of the border at pi, but before it
    } else if (p.sine[k] < 0) {
      bin += beyond_pi && left_of_border;
    } else {
      bin += beyond_pi || left_of_border;
    }
  }
  return dx == 0 && dy == 0 ? 0 : bin;
}

}  // namespace fovea::detail
