// Rows of floats, all padded to whole vectors: every function may read and write up to padded(n)
// elements.
#pragma once
#include <cstddef>

namespace fovea::actions::cpu {

constexpr int kRowPadding = 16;  // floats: a cache line, which is the widest vector
constexpr int padded(int n) { return (n + kRowPadding - 1) / kRowPadding * kRowPadding; }

struct Taps {
  const float* weights;
  int count;
};

// out[x] = sum over i of weights[i] * rows[i][x].
void sum_rows(const float* const* rows, Taps taps, float* out, int n);
// The same down columns for kColumnRows rows at once, of which row k sums rows[k], rows[k + 1] and
// so on: there are kColumnRows - 1 more rows than taps.
constexpr int kColumnRows = 4;
void sum_columns(const float* const* rows, Taps taps, float* const* out, int n);

// The same along a row: `row` begins half the taps before the first element that is summed.
void sum_along(const float* row, Taps taps, float* out, int n);
// out[x] = the greatest rows[i][x], or 0 if that is greater.
void greatest_of_rows(const float* const* rows, int count, float* out, int n);

// Rows of L at one time: that of a pixel and those above and below it, all readable one element
// before the first and after the last.
struct LevelRows {
  const float* above;
  const float* here;
  const float* below;
};
// The derivatives along x and y by Sobel's operator.
struct Gradients {
  float* x;
  float* y;
};
void gradients(const LevelRows& rows, float weight, const Gradients& out, int n);

// Sums the six moments of derivatives over time with the taps. `gradients` has the rows of the
// derivatives of each frame, and `levels` those that the derivatives in time are differences of:
// one frame more than taps at either end.
struct GradientRows {
  const float* x;
  const float* y;
};
struct MomentRows {
  const GradientRows* gradients;
  const float* const* levels;
  float time_weight;
};
void sum_moments(const MomentRows& rows, Taps taps, float* const* out, int n);

// The greatest squared derivative in time of each cell of kCellSize x kCellSize pixels in a band of
// `count` rows; the last ones have what is left of n and `count`. There is a row of `out` for each
// row of cells.
constexpr int kCellSize = 4;
struct ChangeRows {
  const float* before;
  const float* after;
  std::ptrdiff_t stride;
  int count;
  float time_weight;
};
void greatest_changes(const ChangeRows& rows, float* const* out, int n);

// The two steps to the next level of the pyramid: halve_sum() of five rows, then of every second
// place of the result, which is readable for two elements before the first and a vector after the
// last.
void halve_columns(const float* const* rows, float* out, int n);
void halve_along(const float* row, float* out, int n);

void harris_responses(const float* const* moments, float k, float* out, int n);
void periodic_responses(const float* even, const float* odd, float* out, int n);

// The rows around a maximum, the first of which has it, and how far the neighbors that it must
// exceed reach along them. A neighbor beyond the width does not count.
struct PeakRows {
  const float* const* rows;
  int count;
  int width;
  int radius;
};
struct PeakRange {
  int first, end;  // columns
  float threshold;
};
// Writes the columns of maxima above the threshold in rising order and returns their number.
int peaks_of_row(const PeakRows& near, const PeakRange& range, int* columns);

}  // namespace fovea::actions::cpu
