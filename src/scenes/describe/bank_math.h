// The arithmetic of the bank of filters that both twins share. Each size is separable: rows are
// smoothed by g, differenced by g' and bent by g'' (three sums a pixel), columns make of these the
// four responses. A Laplacian is g'' across + g'' down + a constant times the sum of the square
// under it, which takes the kernel's mean away.
//
// Pixels are whole numbers, held as floats: their sums and differences, and the sums of whole
// squares (at most 961 * 8850 < 2^24), are exact whatever the order they are made in. All other
// sums are chains of fma from the middle outwards, as written here.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cmath>

namespace fovea::scenes {

constexpr int kBankScales = 8;
constexpr int kBankReach = 15;  // of the largest filter, to each side
constexpr int kBankKinds = 4;   // Gaussian, Laplacian, difference across, difference down

FOVEA_HD inline constexpr int bank_reach(int scale) {
  constexpr int kReach[kBankScales] = {1, 2, 3, 4, 5, 8, 10, 15};
  return kReach[scale];
}

// Weights by the distance from the middle; the slope's are those to the right (below), and minus
// them to the left (above). Those of rows take the pixels' unit to 1.
struct BankWeights {
  float smooth[kBankReach + 1];
  float slope[kBankReach + 1];
  float bend[kBankReach + 1];
};
struct BankScale {
  BankWeights row;
  BankWeights column;
  float level;  // of a Laplacian: times the sum of the pixels of the square
};
struct BankTables {
  BankScale scale[kBankScales];
};

// What a row pass makes of a pixel and its neighbors.
struct BankRowSums {
  float smooth, slope, bend;
};
// line(i): the pixel i to the right of the one in the middle.
template <class Line>
FOVEA_HD inline BankRowSums bank_row(const Line& line, const BankWeights& w, int reach) {
  BankRowSums sums{line(0) * w.smooth[0], 0, line(0) * w.bend[0]};
  for (int k = 1; k <= reach; ++k) {
    const float both = line(-k) + line(k), rise = line(k) - line(-k);
    sums.smooth = std::fma(both, w.smooth[k], sums.smooth);
    sums.slope = std::fma(rise, w.slope[k], sums.slope);
    sums.bend = std::fma(both, w.bend[k], sums.bend);
  }
  return sums;
}

// What a column pass makes of these: the responses but for the Laplacian, which is in two parts.
struct BankColumnSums {
  float smooth;  // Gaussian
  float across;  // smoothed slopes: difference from left to right
  float down;    // sloped smoothings: difference from top to bottom
  float bend_across, bend_down;
};
// column(i): the row sums i pixels below the one in the middle.
template <class Column>
FOVEA_HD inline BankColumnSums bank_column(const Column& column, const BankWeights& w, int reach) {
  const BankRowSums here = column(0);
  BankColumnSums sums{here.smooth * w.smooth[0], here.slope * w.smooth[0], 0,
                      here.bend * w.smooth[0], here.smooth * w.bend[0]};
  for (int k = 1; k <= reach; ++k) {
    const BankRowSums above = column(-k), below = column(k);
    const float both = above.smooth + below.smooth, rise = below.smooth - above.smooth;
    sums.smooth = std::fma(both, w.smooth[k], sums.smooth);
    sums.across = std::fma(above.slope + below.slope, w.smooth[k], sums.across);
    sums.down = std::fma(rise, w.slope[k], sums.down);
    sums.bend_across = std::fma(above.bend + below.bend, w.smooth[k], sums.bend_across);
    sums.bend_down = std::fma(both, w.bend[k], sums.bend_down);
  }
  return sums;
}

// `square`: the sum of the pixels under the kernel.
FOVEA_HD inline float bank_laplacian(float bend_across, float bend_down, float level,
                                     float square) {
  return std::fma(square, level, bend_across + bend_down);
}

// Numbers as words are compared by: (x - mean) * scale with offset = -(mean * scale), rounded.
FOVEA_HD inline float standardized(float x, float scale, float offset) {
  return std::fma(x, scale, offset);
}

// Brightness of a byte pixel, as to_gray() has it: 0 to 255.
FOVEA_HD inline int gray_of_rgb(int r, int g, int b) {
  return (299 * r + 587 * g + 114 * b + 500) / 1000;
}

}  // namespace fovea::scenes
