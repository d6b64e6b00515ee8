// The loops of gradient words on the CPU, a line at a time; arithmetic in gradient_words_math.h.
#pragma once
#include <cstddef>

#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes::cpu {

constexpr int kGradientSlack = 64;  // floats beyond a line's end that the loops may read and write
constexpr int kHalf = kDirections / 2;

// symmetric_sum() down: of 2 reach + 1 lines.
void sum_lines(const float* const* lines, const float* weights, int reach, int count, float* to);
// symmetric_sum() across: `reach` floats before and after the line can be read.
void sum_columns(const float* line, const float* weights, int reach, int count, float* to);

// Votes of a line of pixels: of column x the first four directions at to[4 x], the others `half`
// floats farther.
struct VoteLines {
  const float* above;
  const float* here;  // one pixel before and after it can be read
  const float* below;
};
void vote_line(const VoteLines& lines, int count, float* to, std::ptrdiff_t half);

// symmetric_sum() across of votes, at some columns: eight numbers each.
struct CellJob {
  const float* votes;
  std::ptrdiff_t half;
  const int* columns;  // where a column's votes lie, in columns
  int count;
  float* to;
};
void cell_line(const CellJob& job, const float* weights, int reach);

// The numbers of a line of places out of four lines of cells.
struct PlaceJob {
  const float* cells[kCellsAcross];
  const int* columns;  // of each place its four cells in a line of cells
  int count;
  const float* scale;  // of 128 numbers, or null
  const float* offset;
  float* to;
  std::ptrdiff_t stride;  // from place to place
};
void place_line(const PlaceJob& job);

}  // namespace fovea::scenes::cpu
