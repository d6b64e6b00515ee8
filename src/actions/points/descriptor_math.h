// Votes of descriptors, which both twins share. A cell's votes are summed by columns of pixels
// (with frames as the outermost loop), and then the columns from left to right: an order that suits
// vectors and threads.
#pragma once
#include <fovea/actions/points.h>

#include <cmath>

namespace fovea::actions {

constexpr int kCellsSpace = 3;
constexpr int kCellsTime = 2;
constexpr int kCells = kCellsSpace * kCellsSpace * kCellsTime;
constexpr int kHogBins = kHogSize / kCells;
constexpr int kHofBins = kHofSize / kCells;
constexpr float kTan22 = 0.41421356F;  // tangent of 22.5 degrees, where the first direction ends

// Cells are ordered by x, then by y, then by time.
FOVEA_HD inline int cell_index(int cx, int cy, int ct) {
  return (cx * kCellsSpace + cy) * kCellsTime + ct;
}

// Returns the direction of a gradient, modulo half a turn, rounded to 0, 45, 90 or 135 degrees.
FOVEA_HD inline int gradient_bin(float x, float y) {
  const float ax = std::fabs(x), ay = std::fabs(y);
  if (ay < kTan22 * ax) return 0;
  if (ax < kTan22 * ay) return 2;
  return (x < 0) == (y < 0) ? 1 : 3;
}
FOVEA_HD inline float vector_length(float x, float y) { return std::sqrt(std::fma(x, x, y * y)); }

// Returns 0 for "still", then quadrants.
FOVEA_HD inline int flow_bin(float u, float v, float still2) {
  if (std::fma(u, u, v * v) < still2) return 0;
  return v < 0 ? (u < 0 ? 3 : 4) : (u < 0 ? 2 : 1);
}

// Divides the sums of a cell by their total.
FOVEA_HD inline void normalize_cell(float* bins, int count) {
  float sum = 0;
  for (int b = 0; b < count; ++b) sum += bins[b];
  for (int b = 0; b < count; ++b)
    bins[b] = sum > 0 ? bins[b] / sum : 1.0F / static_cast<float>(count);
}

// The pixels and frames of a cell, including the last ones; empty if last < first.
struct CellBox {
  int x0, x1, y0, y1, t0, t1;
};

// The spans of all cells of a channel, relative to the point.
struct PatchSpans {
  int space[kCellsSpace][2];
  int time[kCellsTime][2];
};

}  // namespace fovea::actions
