// The loops of the bank on the CPU: bank_row() and bank_column() of bank_math.h for whole lines.
#pragma once
#include <cstddef>
#include <cstdint>

#include "scenes/describe/bank_math.h"

namespace fovea::scenes::cpu {

constexpr int kBankSlack = 64;  // floats beyond a line's end that the loops may read and write

// Computes the three sums of one line of pixels, in consecutive runs of `pitch` floats.
struct RowJob {
  const float* pixels;  // of the first column; kBankReach pixels before it are readable
  int width;
  float* sums;
  std::ptrdiff_t pitch;
};
void bank_row_pass(const RowJob& job, const BankWeights& weights, int reach);

// Computes consecutive lines of responses from lines of sums.
constexpr int kMostLines = 8;
struct ColumnJob {
  const float* rows[2 * kBankReach + kMostLines];  // 2 reach + lines of them, beginning above the
                                                   // first line of responses
  std::ptrdiff_t pitch;
  int width;
  int lines;  // 1 to kMostLines
  int reach;  // pixels to each side, 1 to kBankReach
  // Sums of all pixels above and to the left for each line of responses: of the last line under its
  // square and of the line above that square; from the left end of the first square.
  const std::int32_t* below[kMostLines];
  const std::int32_t* above[kMostLines];
  float level;
  const float* scale;  // for the four filters, or null
  const float* offset;
  float* out[kMostLines][kBankKinds];
};
void bank_column_pass(const ColumnJob& job, const BankWeights& weights);

}  // namespace fovea::scenes::cpu
