// The votes of a row of pixels, a vector at a time: vote_of() of hog_math.h, operation by
// operation.
#include "people/hog_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/hog_votes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::ScalableTag<std::int32_t>;

struct Slopes {
  hn::Vec<Floats> dx, dy, square;
};

HWY_INLINE Slopes slopes(const VoteJob& job, int channel, int x) {
  const Floats d;
  const float* centre = job.centre[channel] + x;
  const auto dx = hn::Sub(hn::LoadU(d, centre + 1), hn::LoadU(d, centre - 1));
  const auto dy =
      hn::Sub(hn::LoadU(d, job.below[channel] + x), hn::LoadU(d, job.above[channel] + x));
  return {dx, dy, hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy))};
}

template <bool kColour>
HWY_INLINE Slopes strongest(const VoteJob& job, int x) {
  Slopes best = slopes(job, 0, x);
  if constexpr (kColour) {
    for (int channel = 1; channel < 3; ++channel) {
      const Slopes other = slopes(job, channel, x);
      const auto larger = hn::Gt(other.square, best.square);
      best.dx = hn::IfThenElse(larger, other.dx, best.dx);
      best.dy = hn::IfThenElse(larger, other.dy, best.dy);
      best.square = hn::Max(other.square, best.square);
    }
  }
  return best;
}

template <bool kSigned>
HWY_INLINE hn::Vec<Floats> angles(const Slopes& s, const VoteParams& p) {
  const Floats d;
  const auto ax = hn::Abs(s.dx), ay = hn::Abs(s.dy);
  const auto larger = hn::Max(hn::Max(ax, ay), hn::Set(d, 1e-30F));  // 0 / 1e-30 is 0 too
  const auto t = hn::Div(hn::Min(ax, ay), larger);
  const auto t2 = hn::Mul(t, t);
  auto q = hn::Set(d, p.atan[kAtanTerms - 1]);
  for (int k = kAtanTerms - 2; k >= 0; --k) q = hn::MulAdd(q, t2, hn::Set(d, p.atan[k]));
  q = hn::Mul(q, t);
  q = hn::IfThenElse(hn::Gt(ay, ax), hn::Sub(hn::Set(d, p.right_angle), q), q);
  const auto circle = hn::Set(d, p.circle);
  // A difference of floats is never -0, so that the sign bit says "below 0".
  if constexpr (!kSigned) return hn::IfNegativeThenElse(hn::Xor(s.dx, s.dy), hn::Sub(circle, q), q);
  q = hn::IfNegativeThenElse(s.dx, hn::Sub(hn::Set(d, p.half_turn), q), q);
  return hn::IfNegativeThenElse(s.dy, hn::Sub(circle, q), q);
}

template <bool kColour, bool kSigned, bool kInterpolate>
void vote_row_as(const VoteJob& job) {
  const Floats d;
  const Integers di;
  const auto step = static_cast<int>(hn::Lanes(d));
  const VoteParams& p = job.params;
  const auto bins = hn::Set(di, p.bins), pitch = hn::Set(di, static_cast<std::int32_t>(job.pitch));
  const auto last = hn::Set(di, (p.bins - 1) * static_cast<std::int32_t>(job.pitch));
  for (int x = 0; x < job.count; x += step) {
    const Slopes s = strongest<kColour>(job, x);
    const auto magnitude = hn::Sqrt(s.square);
    const auto q = angles<kSigned>(s, p);
    auto* out = reinterpret_cast<float*>(job.votes + x);
    if constexpr (kInterpolate) {
      const auto place = hn::Add(q, hn::Set(d, 0.5F));
      const auto n = hn::ConvertTo(di, place);
      const auto high = hn::Mul(magnitude, hn::Sub(place, hn::ConvertTo(d, n)));
      const auto at = hn::Mul(n, pitch);
      const auto low_at = hn::IfThenElse(hn::Eq(n, hn::Zero(di)), last, hn::Sub(at, pitch));
      const auto high_at = hn::IfThenZeroElse(hn::Eq(n, bins), at);
      hn::StoreInterleaved4(hn::Sub(magnitude, high), high, hn::BitCast(d, low_at),
                            hn::BitCast(d, high_at), d, out);
    } else {
      const auto n = hn::ConvertTo(di, q);
      const auto at = hn::IfThenZeroElse(hn::Eq(n, bins), hn::Mul(n, pitch));
      hn::StoreInterleaved4(hn::Zero(d), magnitude, hn::Zero(d), hn::BitCast(d, at), d, out);
    }
  }
}

template <bool kColour, bool kSigned>
void vote_row_of(const VoteJob& job) {
  if (job.params.interpolate) return vote_row_as<kColour, kSigned, true>(job);
  return vote_row_as<kColour, kSigned, false>(job);
}

void vote_row_simd(const VoteJob& job) {
  if (job.channels == 1)
    return job.params.signed_angle ? vote_row_of<false, true>(job) : vote_row_of<false, false>(job);
  return job.params.signed_angle ? vote_row_of<true, true>(job) : vote_row_of<true, false>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(vote_row_simd);
}  // namespace

void vote_row(const VoteJob& job) { HWY_DYNAMIC_DISPATCH(vote_row_simd)(job); }

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
