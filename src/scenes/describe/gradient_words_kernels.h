// The loops of gradient words on the CPU, one line at a time; their arithmetic is in
// gradient_words_math.h.
#pragma once
#include <cstddef>

#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes::cpu {

constexpr int kGradientSlack = 64;  // floats beyond a line's end that the loops may read and write
constexpr int kHalf = kDirections / 2;

// symmetric_sum() along columns, over 2 reach + 1 lines.
void sum_lines(const float* const* lines, const float* weights, int reach, int count, float* to);
// symmetric_sum() along rows; `reach` floats before and after the line are readable.
void sum_columns(const float* line, const float* weights, int reach, int count, float* to);

// The votes of a line of pixels. The first four directions of column x are at to[4 x], the others
// `half` floats later.
struct VoteLines {
  const float* above;
  const float* here;  // one pixel before and one after it are readable
  const float* below;
};
void vote_line(const VoteLines& lines, int count, float* to, std::ptrdiff_t half);

// symmetric_sum() of votes along a row, at some columns: eight numbers each.
struct CellJob {
  const float* votes;
  std::ptrdiff_t half;
  const int* columns;  // the columns of the votes
  int count;
  float* to;
};
void cell_line(const CellJob& job, const float* weights, int reach);

// Computes the numbers of a line of places from four lines of cells.
struct PlaceJob {
  const float* cells[kCellsAcross];
  const int* columns;  // the four cells of each place in a line of cells
  int count;
  const float* scale;  // for 128 numbers, or null
  const float* offset;
  float* to;
  std::ptrdiff_t stride;  // from place to place
};
void place_line(const PlaceJob& job);

}  // namespace fovea::scenes::cpu
