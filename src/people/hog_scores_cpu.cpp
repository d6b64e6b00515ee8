// Scores of many windows at once: a vector holds neighbouring windows, four rows of windows share
// each number that is read. Every window's sum runs in the one order that ScoreJob states.
#include "people/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog_scores_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;

template <int kRows, int kVectors>
void score_tile(const ScoreJob& job, int column) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  float* scores = job.scores + job.first_row * job.score_pitch + column;
  hn::Vec<Floats> sum[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      sum[r][v] = hn::LoadU(d, scores + r * job.score_pitch + v * lanes);
  const float* weights = job.weights;
  for (const int place : job.block_places) {
    const float* numbers = job.numbers + place + column;
    for (int e = 0; e < job.block_size; ++e, numbers += job.pitch, weights += kScoreRows) {
      hn::Vec<Floats> number[kVectors];
      for (int v = 0; v < kVectors; ++v) number[v] = hn::LoadU(d, numbers + v * lanes);
      if constexpr (kRows == 4) {
        const auto four = hn::LoadDup128(d, weights);
        for (int v = 0; v < kVectors; ++v) {
          sum[0][v] = hn::MulAdd(number[v], hn::Broadcast<0>(four), sum[0][v]);
          sum[1][v] = hn::MulAdd(number[v], hn::Broadcast<1>(four), sum[1][v]);
          sum[2][v] = hn::MulAdd(number[v], hn::Broadcast<2>(four), sum[2][v]);
          sum[3][v] = hn::MulAdd(number[v], hn::Broadcast<3>(four), sum[3][v]);
        }
      } else {
        for (int r = 0; r < kRows; ++r) {
          const auto weight = hn::Set(d, weights[job.first_row + r]);
          for (int v = 0; v < kVectors; ++v) sum[r][v] = hn::MulAdd(number[v], weight, sum[r][v]);
        }
      }
    }
  }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      hn::StoreU(sum[r][v], d, scores + r * job.score_pitch + v * lanes);
}

template <int kRows>
void score_columns(const ScoreJob& job) {
  const auto lanes = static_cast<int>(hn::Lanes(Floats()));
  int column = 0;
  for (; column + 3 * lanes < job.columns; column += 4 * lanes) score_tile<kRows, 4>(job, column);
  const int vectors = (job.columns - column + lanes - 1) / lanes;
  if (vectors == 3) score_tile<kRows, 3>(job, column);
  if (vectors == 2) score_tile<kRows, 2>(job, column);
  if (vectors == 1) score_tile<kRows, 1>(job, column);
}

void score_row_simd(const ScoreJob& job) {
  switch (job.rows) {
    case 1: return score_columns<1>(job);
    case 2: return score_columns<2>(job);
    case 3: return score_columns<3>(job);
    default: return score_columns<4>(job);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(score_row_simd);
}  // namespace

void score_row(const ScoreJob& job) { HWY_DYNAMIC_DISPATCH(score_row_simd)(job); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
