// The loops of the bank on the CPU: bank_row() and bank_column() of bank_math.h for whole lines.
#pragma once
#include <cstddef>
#include <cstdint>

#include "scenes/bank_math.h"

namespace fovea::scenes::cpu {

constexpr int kBankSlack = 64;  // floats beyond a line's end that the loops may read and write

// One line of pixels to its three sums, each a run of `pitch` floats after the one before.
struct RowJob {
  const float* pixels;  // of the first column; kBankReach before it can be read
  int width;
  float* sums;
  std::ptrdiff_t pitch;
};
void bank_row_pass(const RowJob& job, const BankWeights& weights, int reach);

// Lines of sums to one or two lines of responses, one below the other.
struct ColumnJob {
  const float* const* rows;  // 2 reach + lines of them, from `reach` above the first on
  std::ptrdiff_t pitch;
  int width;
  int lines;  // 1 or 2
  // Sums of all pixels above and to the left: of the line under the square and that above it, for
  // each line of responses; at the column of the square's right end (exclusive) and left end.
  const std::int32_t* below[2];
  const std::int32_t* above[2];
  float level;
  const float* scale;  // of the four filters, or null
  const float* offset;
  float* out[2][kBankKinds];
};
void bank_column_pass(const ColumnJob& job, const BankWeights& weights, int reach);

}  // namespace fovea::scenes::cpu
