// The arithmetic of gradient words that both twins share: 4x4 cells of 8 directions around a place
// (after Lowe, IJCV 2004, on a grid as in Lazebnik, Schmid and Ponce, CVPR 2006).
//
// For each scale, with cells of `cell` pixels: the plane of pixels is smoothed; its differences are
// split between their two nearest directions out of eight; the eight planes of votes are weighted
// by a triangle of twice a cell's width, first down, then across, which is the same as sharing them
// bilinearly between neighboring cells; 16 such values around a place, weighted by their distance,
// are its 128 numbers. Each stage repeats the border of the stage before. No angle and no root is
// computed per pixel, and the cost does not depend on how much places overlap.
#pragma once
#include <fovea/core/api.h>

#include <cmath>

namespace fovea::scenes {

constexpr int kDirections = 8;  // right, right and down, down, ..., right and up
constexpr int kCellsAcross = 4;
constexpr int kGradientCells = kCellsAcross * kCellsAcross;
constexpr int kGradientNumbers = kGradientCells * kDirections;
constexpr int kMostScales = 6;
constexpr int kMostCell = 243;  // 32 * 1.5^5
constexpr int kMostSmoothReach = 122;

// One scale. Weights are indexed by the distance from the middle.
struct GradientScale {
  int cell;
  int smooth_reach;                    // 0: not smoothed
  float smooth[kMostSmoothReach + 1];  // a Gaussian with the sum 1
  float share_down[kMostCell];         // a triangle (`cell` values) times the unit of pixels
  float share_across[kMostCell];       // the same triangle with the sum 1
};

// Sums a line around its middle with symmetric weights, starting with line(0).
template <class Line>
FOVEA_HD inline float symmetric_sum(const Line& line, const float* weights, int reach) {
  float sum = line(0) * weights[0];
  for (int k = 1; k <= reach; ++k) sum = std::fma(line(-k) + line(k), weights[k], sum);
  return sum;
}
// Smoothing is symmetric_sum() down, then across, with smooth_reach. Cells are sums of votes: down
// with share_down, then across with share_across, with a reach of cell - 1.

// How a difference (dx, dy), right minus left and below minus above, is shared: as a vector that is
// split along the two nearest of eight axes. The sum of the votes differs from its length by at
// most 8 %.
struct DirectionVotes {
  float of[kDirections];
};
constexpr float kRootTwo = 1.41421356F;
FOVEA_HD inline DirectionVotes direction_votes(float dx, float dy) {
  const float ax = std::fabs(dx), ay = std::fabs(dy);
  const bool left = dx < 0, up = dy < 0;
  const float level = ax > ay ? ax - ay : 0.0F;
  const float steep = ay > ax ? ay - ax : 0.0F;
  const float oblique = (ax < ay ? ax : ay) * kRootTwo;
  return {{left ? 0.0F : level, left || up ? 0.0F : oblique, up ? 0.0F : steep,
           left && !up ? oblique : 0.0F, left ? level : 0.0F, left && up ? oblique : 0.0F,
           up ? steep : 0.0F, !left && up ? oblique : 0.0F}};
}

// Cells lie around a place. Returns the middle of cell j (0 to 3), across or down.
FOVEA_HD inline int cell_middle(int place, int j, int cell) {
  return place + (j - 2) * cell + cell / 2;
}
// Cells farther from the place have less weight: a Gaussian with a deviation of 1.5 cells. The
// number of cell j across and k down is its value times (window[k] * window[j]), where the product
// in parentheses is rounded first.
FOVEA_HD inline float cell_window(int j) { return j == 1 || j == 2 ? 0.945959469F : 0.606530660F; }
FOVEA_HD inline float cell_weight(int j, int k) { return cell_window(k) * cell_window(j); }
// Numbers are ordered by cell, line by line, with the directions of a cell together.

// Sums of squares are chains of fma over the cells for each direction, starting at 0, which this
// function adds.
FOVEA_HD inline float sum_of_directions(const float* sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// The numbers are scaled to length 1, those above a fifth are clipped to it, and the result is
// scaled to length 1 again. Numbers shorter than kLeastContrast, for pixels in the unit 1, are only
// divided by it: places without contrast stay near 0, and their noise is not amplified.
constexpr float kLeastContrast = 0.01F;
constexpr float kMostShare = 0.2F;
FOVEA_HD inline float first_scale(float sum_of_squares) {
  const float length = std::sqrt(sum_of_squares);
  return length >= kLeastContrast ? 1.0F / length : 1.0F / kLeastContrast;
}
FOVEA_HD inline float clipped_share(float number, float scale) {
  const float scaled = number * scale;
  return scaled < kMostShare ? scaled : kMostShare;
}
// Whether the first scale was 1 / length; places without contrast are not scaled a second time.
FOVEA_HD inline bool has_contrast(float sum_of_squares) {
  return std::sqrt(sum_of_squares) >= kLeastContrast;
}
FOVEA_HD inline float second_scale(float sum_of_squares) {
  return 1.0F / std::sqrt(sum_of_squares);
}

}  // namespace fovea::scenes
