// The inner loops of the descriptor on the CPU, each compiled once per instruction set.
#pragma once
#include <cstdint>
#include <span>

#include "people/hog/hog_layout.h"

namespace fovea::people::cpu {

// The votes of a row of pixels, and their places in the histograms of the row. These have two
// planes more than there are bins: bin b is plane b + 1. What belongs to the last bin from below
// and to the first bin from above goes to planes of its own, which are folded in when the row is
// complete. The place is that of bin n - 1 (n of Vote); bin n is the next plane.
struct SharePair {
  float low, high;
};
template <class Share, class Place>
struct VoteRow {
  Share* shares;
  Place* places;
};
using Votes = VoteRow<const SharePair, const std::int32_t>;

constexpr int kRowPad =
    128;  // floats that can be read on both sides of a row: whole vectors and neighbors

// The first `channels` bytes of every pixel of a row as gamma-corrected planes.
struct PlaneJob {
  const std::uint8_t* pixels;
  int step;      // bytes per pixel: 1, 3 or 4
  int channels;  // 1 or 3
  int count;
  bool square_root;    // the gamma correction; without it values stay as they are
  const float* table;  // the same correction of every byte
  float* planes[3];
};
void plane_row(const PlaneJob& job);

// Votes of `count` pixels (rounded up to four vectors) of one row, from gamma-corrected planes.
struct VoteJob {
  const float* rows[2 * kMaskReach + 1][3];  // the row itself is in the middle; those that the mask
                                             // does not read may be null
  GradientMask mask;
  int channels;  // 1 or 3
  int count;
  std::uint32_t pitch;  // size of a bin's plane
  const VoteParams& params;
  VoteRow<SharePair, std::int32_t> votes;
};
void vote_row(const VoteJob& job);

// Adds the votes of a row to its histograms [plane][role], in the order of the classes, then folds
// in the outer planes; `roles[0]` is role 0 of the first plane.
struct ScatterJob {
  Votes votes;
  int count;
  const RoleClasses& classes;
  bool interpolate;
  int bins;
  std::ptrdiff_t pitch;  // size of a plane
  float* roles;
};
void scatter_row(const ScatterJob& job);

// target += weight[k] * row[k], one row after the other, each sum rounded once.
struct SpreadTarget {
  float* sums;
  float weight[4];
};
struct SpreadJob {
  const float* rows[4];
  int row_count;
  std::span<const SpreadTarget> targets;
  int count;  // number of floats, rounded up to whole vectors
};
void spread_rows(const SpreadJob& job);

constexpr int kNormColumns = 16;  // blocks that are normalized together

// Normalizes blocks [0, columns) of one row: number e of block k comes from sources[e][k * stride]
// and goes to out + e * out_pitch + k. It reads and writes whole groups of kNormColumns.
struct NormJob {
  std::span<const float* const> sources;
  int stride;
  int columns;
  const NormParams& params;
  float* out;
  std::ptrdiff_t out_pitch;
};
void normalize_row(const NormJob& job);

constexpr int kScoreRows = 4;      // rows of windows that are scored together
constexpr int kScoreColumns = 16;  // least number of columns that are scored together

// Adds a row of blocks to the scores of up to kScoreRows rows of windows: for every block in the
// row of a window, in order, and every number of it, scores[row][window] += weight * number,
// rounded once.
struct ScoreJob {
  const float* numbers;  // of the first window's first block; number e is e * pitch further
  std::ptrdiff_t pitch;  // distance from one number to the next
  std::span<const int> block_places;  // places of a window's blocks, in columns from the first one
  int block_size;
  const float* weights;  // [block][number][kScoreRows]
  int first_row, rows;   // the rows among kScoreRows that take part
  float* scores;         // [kScoreRows][score_pitch]
  std::ptrdiff_t score_pitch;
  int columns;  // number of windows, rounded up to whole vectors
};
void score_row(const ScoreJob& job);

}  // namespace fovea::people::cpu
