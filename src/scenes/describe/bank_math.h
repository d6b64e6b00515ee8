// The arithmetic of the bank of filters that both twins share. Each size is separable: along rows,
// pixels are weighted by g, g' and g'' (three sums per pixel, called smooth, slope and bend), and
// along columns the four responses are computed from these. A Laplacian is g'' across + g'' down +
// a constant times the sum of the square under it, which subtracts the kernel's mean.
//
// Pixels are whole numbers, stored as floats: their sums and differences, and the sums of whole
// squares (at most 961 * 8850 < 2^24), are exact in any order. All other sums are chains of fma
// from the middle outward, as written here.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cmath>

namespace fovea::scenes {

constexpr int kBankScales = 8;  // the most sizes that a bank has
constexpr int kBankReach = 15;  // pixels to each side in the largest filter
constexpr int kBankKinds = 4;   // Gaussian, Laplacian, difference across, difference down
constexpr int kBankFilters = kBankScales * kBankKinds;

// The pixels to each side of the default sizes, for which loops of fixed length are compiled.
FOVEA_HD inline constexpr int bank_reach(int scale) {
  constexpr int kReach[kBankScales] = {1, 2, 3, 4, 5, 8, 10, 15};
  return kReach[scale];
}

// Weights by the distance from the middle; those of `slope` are for the right (or below) and are
// negated for the left (or above). The weights of rows include the conversion of pixels to the unit
// 1.
struct BankWeights {
  float smooth[kBankReach + 1];
  float slope[kBankReach + 1];
  float bend[kBankReach + 1];
};
struct BankScale {
  BankWeights row;
  BankWeights column;
  float level;  // Laplacian only: factor of the sum of the pixels of the square
  int reach;    // pixels to each side
};
// Sizes beyond `count` have weights and a reach of 0: they respond with 0.
struct BankTables {
  BankScale scale[kBankScales];
  int count;
};

// The row sums of a pixel and its neighbors.
struct BankRowSums {
  float smooth, slope, bend;
};
// line(i) returns the pixel i columns to the right of the middle.
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

// The column sums: three responses, and the two parts of the Laplacian.
struct BankColumnSums {
  float smooth;  // Gaussian
  float across;  // smoothed slope: difference from left to right
  float down;    // slope of smoothed rows: difference from top to bottom
  float bend_across, bend_down;
};
// column(i) returns the row sums i pixels below the middle.
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

// `square` is the sum of the pixels under the kernel.
FOVEA_HD inline float bank_laplacian(float bend_across, float bend_down, float level,
                                     float square) {
  return std::fma(square, level, bend_across + bend_down);
}

// Standardizes a number before it is compared with words: (x - mean) * scale, with offset = -(mean
// * scale) rounded.
FOVEA_HD inline float standardized(float x, float scale, float offset) {
  return std::fma(x, scale, offset);
}

}  // namespace fovea::scenes
