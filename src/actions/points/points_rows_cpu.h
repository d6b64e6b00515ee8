// Rows of floats, all padded to whole vectors: every function may read and write up to padded(n)
// elements.
#pragma once

namespace fovea::actions::cpu {

constexpr int kRowPadding = 16;  // floats: a cache line, which is the widest vector
constexpr int padded(int n) { return (n + kRowPadding - 1) / kRowPadding * kRowPadding; }

struct Taps {
  const float* weights;
  int count;
};

// out[x] = sum over i of weights[i] * rows[i][x].
void sum_rows(const float* const* rows, Taps taps, float* out, int n);
// Sums the six moments of derivatives over time with the taps. The input is rows[3 i + (x, y, t)].
void sum_moments(const float* const* rows, Taps taps, float* const* out, int n);
// Sobel's operator along columns of three rows: for the derivative along x, and for that along y.
void sobel_columns(const float* const* rows, float* along_x, float* along_y, int n);
// `along_x` and `along_y` are readable one element before the first and after the last.
struct Derivatives {
  float* x;
  float* y;
  float* t;
};
struct SobelRows {
  const float* along_x;
  const float* along_y;
  const float* before;  // in time
  const float* after;
};
struct DerivativeWeights {
  float space;
  float time;
};
void derivatives(const SobelRows& rows, DerivativeWeights weights, const Derivatives& out, int n);
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
