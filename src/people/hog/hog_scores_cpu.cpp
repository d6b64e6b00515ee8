// Scores of many windows at once: a vector holds neighboring windows, and four rows of windows
// share each number that is read. The sum of every window has the order that ScoreJob states.
#include "people/hog/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog/hog_scores_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;

using V = hn::Vec<Floats>;

// Up to four vectors as separate variables, because gcc leaves an array of them in memory.
struct Quad {
  V a, b, c, d;
};
template <int kVectors>
HWY_INLINE Quad load(const float* from) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  Quad q{hn::LoadU(d, from), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  if constexpr (kVectors > 1) q.b = hn::LoadU(d, from + lanes);
  if constexpr (kVectors > 2) q.c = hn::LoadU(d, from + 2 * lanes);
  if constexpr (kVectors > 3) q.d = hn::LoadU(d, from + 3 * lanes);
  return q;
}
template <int kVectors>
HWY_INLINE void store(const Quad& q, float* to) {
  const Floats d;
  const auto lanes = hn::Lanes(d);
  hn::StoreU(q.a, d, to);
  if constexpr (kVectors > 1) hn::StoreU(q.b, d, to + lanes);
  if constexpr (kVectors > 2) hn::StoreU(q.c, d, to + 2 * lanes);
  if constexpr (kVectors > 3) hn::StoreU(q.d, d, to + 3 * lanes);
}
template <int kVectors>
HWY_INLINE void add_product(Quad& sum, const Quad& number, V weight) {
  sum.a = hn::MulAdd(number.a, weight, sum.a);
  if constexpr (kVectors > 1) sum.b = hn::MulAdd(number.b, weight, sum.b);
  if constexpr (kVectors > 2) sum.c = hn::MulAdd(number.c, weight, sum.c);
  if constexpr (kVectors > 3) sum.d = hn::MulAdd(number.d, weight, sum.d);
}

template <int kRows, int kVectors>
void score_tile(const ScoreJob& job, int column) {
  const Floats d;
  float* scores = job.scores + job.first_row * job.score_pitch + column;
  const std::ptrdiff_t score_pitch = job.score_pitch, pitch = job.pitch;
  const int block_size = job.block_size;
  Quad sum0 = load<kVectors>(scores), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  if constexpr (kRows > 1) sum1 = load<kVectors>(scores + score_pitch);
  if constexpr (kRows > 2) sum2 = load<kVectors>(scores + 2 * score_pitch);
  if constexpr (kRows > 3) sum3 = load<kVectors>(scores + 3 * score_pitch);
  const float* weights = job.weights + job.first_row;
  for (const int place : job.block_places) {
    const float* numbers = job.numbers + place + column;
    for (int e = 0; e < block_size; ++e, numbers += pitch, weights += kScoreRows) {
      const Quad number = load<kVectors>(numbers);
      if constexpr (kRows == 4) {
        const auto four = hn::LoadDup128(d, weights);
        add_product<kVectors>(sum0, number, hn::Broadcast<0>(four));
        add_product<kVectors>(sum1, number, hn::Broadcast<1>(four));
        add_product<kVectors>(sum2, number, hn::Broadcast<2>(four));
        add_product<kVectors>(sum3, number, hn::Broadcast<3>(four));
      } else {
        add_product<kVectors>(sum0, number, hn::Set(d, weights[0]));
        if constexpr (kRows > 1) add_product<kVectors>(sum1, number, hn::Set(d, weights[1]));
        if constexpr (kRows > 2) add_product<kVectors>(sum2, number, hn::Set(d, weights[2]));
      }
    }
  }
  store<kVectors>(sum0, scores);
  if constexpr (kRows > 1) store<kVectors>(sum1, scores + score_pitch);
  if constexpr (kRows > 2) store<kVectors>(sum2, scores + 2 * score_pitch);
  if constexpr (kRows > 3) store<kVectors>(sum3, scores + 3 * score_pitch);
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
