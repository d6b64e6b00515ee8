#include "people/hog/hog_layout.h"

#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace fovea::people {
namespace {

// As in OpenCV, so that its vectors can be used: the center of the Gaussian is the pixel to the
// right of the block's center.
double gaussian(int pixel, int size, double sigma) {
  if (sigma <= 0) return 1;
  const double distance = pixel - size * 0.5;
  return std::exp(-distance * distance / (2 * sigma * sigma));
}

// The share of a pixel in a cell of its block.
double cell_share(int pixel, int part, int cell, bool interpolate) {
  if (!interpolate) return pixel / cell == part ? 1 : 0;
  const double distance = std::abs(pixel + 0.5 - (part + 0.5) * cell) / cell;
  return std::max(0.0, 1 - distance);
}

}  // namespace

HogOptions hog_of_kind(Kind kind, const HogOptions& hog) {
  HogOptions result = hog;
  if (kind == Kind::kHog) return result;
  result.sigma = 0;
  result.interpolate = false;
  result.color = false;
  result.shape = BlockShape::kRectangular;
  return result;
}

VoteParams vote_params(const HogOptions& hog) {
  VoteParams p{};
  p.bins = hog.bins;
  p.signed_angle = hog.signed_angle ? 1 : 0;
  p.interpolate = hog.interpolate ? 1 : 0;
  p.weight = hog.vote;
  p.edge = hog.edge;
  const double half_turn = hog.signed_angle ? hog.bins / 2.0 : hog.bins;
  p.circle = static_cast<float>(hog.bins);
  p.half_turn = static_cast<float>(half_turn);
  p.right_angle = static_cast<float>(half_turn / 2);
  for (int k = 0; k < kAtanTerms; ++k)
    p.atan[k] = static_cast<float>(kAtan[k] * half_turn / std::numbers::pi);
  return p;
}

NormParams norm_params(const HogOptions& hog) {
  return {hog.norm, hog.clip, hog.epsilon * static_cast<float>(block_parts(hog) * hog.bins)};
}

int block_parts(const HogOptions& hog) {
  if (hog.shape == BlockShape::kCircular)
    return hog.sectored_center ? (1 + hog.rings) * hog.sectors : 1 + hog.rings * hog.sectors;
  return hog.block_cells().width * hog.block_cells().height;
}

std::vector<float> smoothing_weights(const HogOptions& hog) {
  if (hog.smooth <= 0) return {1.0F};
  const int radius = static_cast<int>(std::ceil(3 * hog.smooth));
  std::vector<double> half(static_cast<std::size_t>(radius) + 1);
  double sum = 0;
  for (int k = 0; k <= radius; ++k) {
    half[static_cast<std::size_t>(k)] = std::exp(-0.5 * k * k / (hog.smooth * hog.smooth));
    sum += (k == 0 ? 1 : 2) * half[static_cast<std::size_t>(k)];
  }
  std::vector<float> weights(half.size());
  std::transform(half.begin(), half.end(), weights.begin(),
                 [&](double weight) { return static_cast<float>(weight / sum); });
  return weights;
}

int surrounding_pixels(const HogOptions& hog) {
  const int mask = hog.mask == GradientMask::kCubic ? kMaskReach : 1;
  return mask + static_cast<int>(smoothing_weights(hog).size()) - 1;
}

std::vector<float> gamma_table(Gamma gamma) {
  std::vector<float> table(256);
  for (int i = 0; i < 256; ++i) {
    const auto value = static_cast<float>(i);
    table[i] = gamma == Gamma::kSquareRoot ? std::sqrt(value) : value;
  }
  return table;
}

HogSide side_across(const HogOptions& hog) {
  return {hog.window.width, hog.cell_size().width, hog.block_cells().width, hog.block_stride};
}
HogSide side_down(const HogOptions& hog) {
  return {hog.window.height, hog.cell_size().height, hog.block_cells().height, hog.block_stride};
}

HogAxis hog_axis(const HogSide& side, int windows, const ScanPlan& plan, int origin) {
  HogAxis axis{};
  axis.origin = origin + side.first();
  axis.grid = windows > 1 ? std::gcd(plan.stride, side.stride) : side.stride;
  axis.windows = windows;
  axis.window_step = windows > 1 ? plan.stride / axis.grid : 1;
  axis.block_step = side.stride / axis.grid;
  axis.window_blocks = side.blocks();
  axis.blocks = (windows - 1) * axis.window_step + (axis.window_blocks - 1) * axis.block_step + 1;
  return axis;
}

HistogramAxis block_axis(const HogOptions& hog, const HogSide& side, const HogAxis& axis) {
  HistogramAxis result{axis.grid, axis.blocks, side.block(), side.parts, {}};
  result.weights.reserve(static_cast<std::size_t>(side.parts) * side.block());
  for (int part = 0; part < side.parts; ++part)
    for (int pixel = 0; pixel < result.size; ++pixel)
      result.weights.push_back(
          static_cast<float>(gaussian(pixel, result.size, hog.sigma) *
                             cell_share(pixel, part, side.cell, hog.interpolate)));
  return result;
}

HistogramAxis cell_axis(const HogSide& side, const HogAxis& axis) {
  const int grid = std::gcd(axis.grid, side.cell);
  const int last = (axis.blocks - 1) * axis.grid + (side.parts - 1) * side.cell;
  return {grid, last / grid + 1, side.cell, 1, std::vector<float>(side.cell, 1.0F)};
}

RoleClasses role_classes(const HistogramAxis& axis) {
  RoleClasses roles{};
  roles.period = (axis.size + axis.grid - 1) / axis.grid * axis.grid;
  roles.step = roles.period / axis.grid * axis.parts;
  std::vector<std::vector<float>> weights(roles.period);
  std::size_t longest = 1;
  for (int q = 0; q < roles.period; ++q) {
    // Units that begin in the previous period, then those of this one.
    int first = 0;
    for (int unit = -(roles.period / axis.grid); unit <= q / axis.grid; ++unit) {
      const int pixel = q - unit * axis.grid;
      for (int part = 0; part < axis.parts; ++part) {
        const float weight = pixel < axis.size ? axis.weight(part, pixel) : 0;
        if (weights[q].empty() && weight == 0) continue;
        if (weights[q].empty()) first = unit * axis.parts + part;
        weights[q].push_back(weight);
      }
    }
    while (!weights[q].empty() && weights[q].back() == 0) weights[q].pop_back();
    roles.first.push_back(first);
    longest = std::max(longest, weights[q].size());
  }
  roles.chunks = static_cast<int>((longest + RoleClasses::kLanes - 1) / RoleClasses::kLanes);
  roles.single = longest == 1;
  const int lanes = roles.chunks * RoleClasses::kLanes;
  roles.margin = roles.step + lanes;
  for (auto& line : weights) {
    line.resize(lanes, 0.0F);
    roles.weights.insert(roles.weights.end(), line.begin(), line.end());
  }
  return roles;
}

CircularBlock circular_block(const HogOptions& hog) {
  const int size = hog.block * hog.cell;
  const int center = hog.sectored_center ? hog.sectors : 1;
  CircularBlock result;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const double dx = x + 0.5 - size * 0.5, dy = y + 0.5 - size * 0.5;
      const double radius = std::hypot(dx, dy);
      // Radii double from ring to ring; the last one is half a block.
      int ring = 0;
      while (ring <= hog.rings && radius > std::ldexp(size * 0.5, ring - hog.rings)) ++ring;
      double turn = std::atan2(dy, dx) / (2 * std::numbers::pi);
      if (turn < 0) turn += 1;
      const int sector = std::min(static_cast<int>(turn * hog.sectors), hog.sectors - 1);
      result.part.push_back(ring > hog.rings      ? -1
                            : ring > 0            ? center + (ring - 1) * hog.sectors + sector
                            : hog.sectored_center ? sector
                                                  : 0);
      result.weight.push_back(hog.sigma > 0 ? static_cast<float>(std::exp(
                                                  -radius * radius / (2.0 * hog.sigma * hog.sigma)))
                                            : 1.0F);
    }
  }
  return result;
}

}  // namespace fovea::people
